package proof_test

import (
	"os"
	"path/filepath"
	"testing"

	"sendonce/house/proof"
)

func TestAPartIsReplacedAndNothingElse(t *testing.T) {
	root := t.TempDir()
	deep := filepath.Join(root, "a", "b")
	document := filepath.Join(root, "docs", "proof.md")
	for _, folder := range []string{deep, filepath.Dir(document)} {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write := func(path, text string) {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(deep)
	part := proof.Part{Name: "figures", Command: "make figures"}
	if _, err := part.Read(); err == nil {
		t.Error("a part was read where there is no repository")
	}
	write(filepath.Join(root, "go.mod"), "module m\n")
	write(document, "# Proof\n")
	if err := part.Write("2\n"); err == nil {
		t.Error("a part was written that the document does not have")
	}
	const begins, ends = "<!-- figures: written by make figures -->\n", "<!-- figures end -->\n"
	write(document, "# Proof\n"+begins+"1\n"+ends+"The rest.\n")
	if err := part.Write("2\n"); err != nil {
		t.Fatal(err)
	}
	if content, err := part.Read(); err != nil || content != "2\n" {
		t.Errorf("the part holds %q: %v", content, err)
	}
	whole, err := os.ReadFile(document)
	if want := "# Proof\n" + begins + "2\n" + ends + "The rest.\n"; err != nil || string(whole) != want {
		t.Errorf("the document is %q: %v", whole, err)
	}
}
