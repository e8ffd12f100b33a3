package standin

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"path"
)

//go:embed page
var pageFiles embed.FS

var templates = template.Must(template.New("").Funcs(template.FuncMap{
	// fill puts a name into a locale's "…%s…".
	"fill": func(format, name string) string { return fmt.Sprintf(format, name) },
	"path": func(p string) template.URL { return template.URL(p) },
}).ParseFS(pageFiles, "page/*.html"))

// contentPolicy holds the pages' own script and styles to this origin, so that
// an extension which leans on a lax page is found out.
const contentPolicy = "default-src 'self'; style-src 'self' 'unsafe-inline'; object-src 'none'"

// shell is what every signed-in page carries around its main part.
type shell struct {
	Words  locale
	Member Person
	Title  string
	Blocks []dataBlock
	// HiddenCopy adds the never displayed /preload frame.
	HiddenCopy bool
	// HeldData is where the page asks who is signed in, when it is not told.
	HeldData string
	// Bubble is someone's message bubble, or nil; on messaging pages it stands
	// in the light DOM unless BubbleInShadow says otherwise.
	Bubble         *pane
	BubbleInShadow bool
	Main           any
}

// newShell builds the shell of a page about a person ("" for none). The caller
// holds s.mu.
func (s *Server) newShell(member Person, personID, title string) shell {
	v := s.variant(personID)
	words, _ := localeOf(v.Locale) // checked by SetVariant
	page := shell{
		Words: words, Member: member, Title: title, HiddenCopy: v.HiddenCopy,
		Blocks: []dataBlock{identityBlock(member)},
	}
	if v.StaleBubbleOf != "" {
		page.Bubble, page.BubbleInShadow = s.bubble(member, v), v.StaleInShadow
	}
	return page
}

// newMessagingShell is newShell for a page with a conversation, which a variant
// may keep from knowing who is signed in. The caller holds s.mu.
func (s *Server) newMessagingShell(member Person, personID string) shell {
	page := s.newShell(member, personID, "Messaging | LinkedIn")
	if page.HeldData = holdPath(personID, HeldData, s.variant(personID).HoldData); page.HeldData != "" {
		page.Blocks = nil
	}
	return page
}

func render(w http.ResponseWriter, name string, data any) {
	var page bytes.Buffer
	if err := templates.ExecuteTemplate(&page, name, data); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", contentPolicy)
	w.Header().Set("Cache-Control", "no-store")
	w.Write(page.Bytes())
}

// servePageFile serves the page's script and stylesheet.
func servePageFile(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("file")
	body, err := fs.ReadFile(pageFiles, "page/"+name)
	kinds := map[string]string{".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8"}
	kind, ok := kinds[path.Ext(name)]
	if err != nil || !ok {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Cache-Control", "no-store")
	w.Write(body)
}
