// Package parity runs the extension's real JavaScript inside go test, so that its rule can be held against the server's
// over every combination. Nothing of it is part of the program.
package parity

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/dop251/goja"
	"github.com/evanw/esbuild/pkg/api"
)

// Root is the folder of the repository, where extension/ and shared/ lie.
func Root() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Dir(filepath.Dir(file))
}

// Bundle turns modules of the extension into one script that an engine without modules can run. Each module's exports
// become the global of its name: Bundle(map[string]string{"rule": "core/rule.js"}, nil) defines the global rule. Paths are
// relative to extension/. replaced gives a module another text, by the same kind of path: to see what a changed one does.
func Bundle(modules, replaced map[string]string) (string, error) {
	folder := filepath.Join(Root(), "extension")
	var entry strings.Builder
	for global, path := range modules {
		fmt.Fprintf(&entry, "import * as %[1]s from './%[2]s';\nglobalThis.%[1]s = %[1]s;\n", global, path)
	}
	texts := map[string]string{}
	for path, text := range replaced {
		texts[filepath.Join(folder, path)] = text
	}
	result := api.Build(api.BuildOptions{
		Stdin:  &api.StdinOptions{Contents: entry.String(), ResolveDir: folder, Sourcefile: "parity"},
		Bundle: true,
		Format: api.FormatIIFE,
		Target: api.ES2022, // the newest that goja runs unchanged; older targets are slower there
		Plugins: []api.Plugin{{Name: "replaced", Setup: func(build api.PluginBuild) {
			build.OnLoad(api.OnLoadOptions{Filter: `\.js$`}, func(args api.OnLoadArgs) (api.OnLoadResult, error) {
				text, ok := texts[args.Path]
				if !ok {
					return api.OnLoadResult{}, nil
				}
				return api.OnLoadResult{Contents: &text, Loader: api.LoaderJS, ResolveDir: filepath.Dir(args.Path)}, nil
			})
		}}},
	})
	if len(result.Errors) > 0 {
		return "", buildError(result.Errors)
	}
	return string(result.OutputFiles[0].Contents), nil
}

// PageScript joins classic files of the extension, in the order in which the browser runs them in a page.
func PageScript(paths ...string) (string, error) { return ReplacedPageScript(nil, paths...) }

// ReplacedPageScript is PageScript with other texts in place of some of the files.
func ReplacedPageScript(replaced map[string]string, paths ...string) (string, error) {
	var out strings.Builder
	for _, path := range paths {
		text, there := replaced[path]
		if !there {
			read, err := os.ReadFile(filepath.Join(Root(), "extension", path))
			if err != nil {
				return "", fmt.Errorf("read a page script: %w", err)
			}
			text = string(read)
		}
		out.WriteString(text)
		out.WriteString(";\n")
	}
	result := api.Transform(out.String(), api.TransformOptions{Target: api.ES2022, Loader: api.LoaderJS})
	if len(result.Errors) > 0 {
		return "", buildError(result.Errors)
	}
	return string(result.Code), nil
}

func buildError(messages []api.Message) error {
	var all []error
	for _, message := range messages {
		where := ""
		if message.Location != nil {
			where = fmt.Sprintf("%s:%d: ", message.Location.File, message.Location.Line)
		}
		all = append(all, errors.New(where+message.Text))
	}
	return fmt.Errorf("bundle the extension: %w", errors.Join(all...))
}

// Load runs a script in a new engine.
func Load(script string) (*goja.Runtime, error) {
	vm := goja.New()
	if _, err := vm.RunString(script); err != nil {
		return nil, fmt.Errorf("run the extension's script: %w", err)
	}
	return vm, nil
}
