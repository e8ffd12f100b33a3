package parity_test

import (
	"strings"
	"testing"

	"sendonce/server/message"
)

// node is what the walker reads of a node of the page.
type node struct {
	NodeType   int    `json:"nodeType"`
	NodeName   string `json:"nodeName"`
	NodeValue  string `json:"nodeValue"`
	ChildNodes []node `json:"childNodes"`
}

func element(name string, children ...node) node {
	return node{NodeType: 1, NodeName: name, ChildNodes: append([]node{}, children...)}
}

func textNode(text string) node {
	return node{NodeType: 3, NodeName: "#text", NodeValue: text, ChildNodes: []node{}}
}

// layout is one way in which editors and pages lay lines out.
type layout struct {
	name string
	root func(lines []string, line func(string) []node) node
}

// orOpen keeps an empty line open by a <br>.
func orOpen(inner []node) []node {
	if len(inner) == 0 {
		return []node{element("BR")}
	}
	return inner
}

var layouts = []layout{
	{"a paragraph for each line", func(lines []string, line func(string) []node) node {
		root := element("DIV")
		for _, one := range lines {
			root.ChildNodes = append(root.ChildNodes, element("P", orOpen(line(one))...))
		}
		return root
	}},
	{"a first line that stands alone, and a block for each other", func(lines []string, line func(string) []node) node {
		root := element("DIV", line(lines[0])...)
		for _, one := range lines[1:] {
			root.ChildNodes = append(root.ChildNodes, element("DIV", orOpen(line(one))...))
		}
		return root
	}},
	{"one block, lines ended by <br>", func(lines []string, line func(string) []node) node {
		block := element("P")
		for _, one := range lines {
			block.ChildNodes = append(append(block.ChildNodes, line(one)...), element("BR"))
		}
		return element("DIV", block)
	}},
	{"lines between <br>, in wrappers", func(lines []string, line func(string) []node) node {
		inner := element("SPAN")
		for i, one := range lines {
			if i > 0 {
				inner.ChildNodes = append(inner.ChildNodes, element("BR"))
			}
			inner.ChildNodes = append(inner.ChildNodes, line(one)...)
		}
		return element("DIV", element("DIV", element("SECTION", inner)))
	}},
	{"text with its own line ends", func(lines []string, line func(string) []node) node {
		return element("P", line(strings.Join(lines, "\n"))...)
	}},
}

// Goal: the text that was laid out as lines comes back as those lines, however an editor lays them out and however it cuts
// their text up.
func FuzzWalker(f *testing.F) {
	for i, seed := range []string{"Hello Ada", "Hello\nAda", "a\n\nb", "a\n\n\nb\n c", "\u00a0a\nb", "👩‍👩‍👧\nx"} {
		for kind := range layouts {
			f.Add(seed, uint8(kind), uint64(i*31+kind))
		}
	}
	js := newBrowserSide(f)
	f.Fuzz(func(t *testing.T, raw string, kind uint8, cuts uint64) {
		body, err := message.CanonicalBody("body", raw)
		if err != nil {
			return
		}
		way := layouts[int(kind)%len(layouts)]
		root := way.root(strings.Split(body, "\n"), func(line string) []node { return cut(line, &cuts) })
		if got := call[string](t, js, "page", "textOf", root); got != body {
			t.Errorf("%q comes back as %q out of %s: %s", body, got, way.name, encoded(t, root))
		}
	})
}

// cut lays one line out as several texts, some in inline elements, with the empty texts and comments that frameworks leave.
func cut(line string, cuts *uint64) []node {
	var nodes []node
	letters := []rune(line)
	for len(letters) > 0 {
		most := min(len(letters), 1+int(*cuts%7)*4)
		part := textNode(string(letters[:most]))
		letters = letters[most:]
		switch *cuts % 5 {
		case 0:
			nodes = append(nodes, element("SPAN", part))
		case 1:
			nodes = append(nodes, textNode(""), element("A", element("EM", part)))
		case 2:
			nodes = append(nodes, part, node{NodeType: 8, NodeName: "#comment", NodeValue: "x", ChildNodes: []node{}})
		default:
			nodes = append(nodes, part)
		}
		*cuts = *cuts*6364136223846793005 + 1442695040888963407
	}
	return nodes
}
