package e2e_test

import (
	"errors"
	"strings"
	"testing"

	"sendonce/e2e/harness"
	"sendonce/e2e/standin"
)

// The longest text, in characters, and the most lines that one may have.
const textMax, linesMax = 8000, 500

// textCase is a text as it is proposed, and what it is once it is canonical; "" when that is the same.
type textCase struct {
	name, raw, canonical string
	inSample             bool
}

func (c textCase) want() string {
	if c.canonical == "" {
		return c.raw
	}
	return c.canonical
}

// textCases arrive as they are approved, byte for byte.
var textCases = []textCase{
	{name: "one word", raw: "Hello"},
	{name: "lines", raw: "Dear Pat,\nhow are you?\nRita"},
	{name: "a blank line", raw: "Dear Pat,\n\nhow are you?"},
	{name: "many blank lines", raw: "a\n\n\n\n\nb\n\n\nc"},
	{name: "outer blank lines", raw: "\n\n \nDear Pat,\n\nRita\n \n\n", canonical: "Dear Pat,\n\nRita"},
	{name: "carriage returns", raw: "one\r\ntwo\rthree\r\n\r\nfour", canonical: "one\ntwo\nthree\n\nfour"},
	{name: "spaces at the ends of lines", raw: "one  \ntwo \t\nthree\u00a0\n four \u3000", canonical: "one\ntwo\nthree\n four"},
	{name: "spaces at the beginnings of lines", raw: "  two\n one\n    four\nnone"},
	{name: "spaces at the very beginning", raw: "   indented from the first line on"},
	{name: "double spaces", raw: "one.  two   three    four"},
	{
		name: "everything about spaces at once", raw: "\n  Dear  Pat,\r\n\r\n    - one  \n\n\n  -  two \t\nbye\n\n",
		canonical: "  Dear  Pat,\n\n    - one\n\n\n  -  two\nbye", inSample: true,
	},
	{name: "no-break spaces", raw: "100\u00a0% \u00a0\u00a0sure\u00a0!", canonical: "100 %   sure !"},
	{name: "other spaces", raw: "narrow\u202f! thin\u2009x en\u2002x em\u2003x figure\u20071 ideographic\u3000x"},
	{name: "joined emoji", raw: "👩‍💻👨‍👩‍👧‍👦🏳️‍🌈 and 👩🏽‍🚀"},
	{name: "flags and skin tones", raw: "🇩🇪🇫🇷🇯🇵 👍🏿👍🏻👍 🏴󠁧󠁢󠁳󠁣󠁴󠁿"},
	{name: "emoji alone", raw: "🎉"},
	{name: "emoji at the ends of lines", raw: "🎉 first\nlast 🎉\n🎉"},
	{name: "combining marks that compose", raw: "Ju\u0308rgen, Zoe\u0308, a\u030a, \u1112\u1161\u11ab", canonical: "Jürgen, Zoë, å, 한"},
	{name: "combining marks that do not compose", raw: "q\u0323\u0307 q\u0307 Z\u0351\u036ba\u0315lgo"},
	{name: "Hebrew and Arabic", raw: "שלום פאט,\nمرحبا بك"},
	{name: "right to left with Latin and digits", raw: "שלום Pat, המחיר הוא 1,200 EUR (כולל מע\"מ).\nABC مرحبا DEF 123 – ٣٤٥"},
	{name: "marks of direction", raw: "\u200fשלום\u200e! \u2067Pat\u2069 \u202bx\u202c"},
	{name: "Devanagari, Thai, Tamil", raw: "नमस्ते, स्वागत है\nสวัสดีครับ\nவணக்கம்"},
	{name: "Chinese, Japanese, Korean", raw: "你好，帕特。\nパットさん、こんにちは。\n안녕하세요"},
	{name: "beyond the basic plane", raw: "𝒫𝒶𝓉 𐍈 𠜎 🀄"},
	{name: "invisible characters", raw: "zero\u200bwidth soft\u00adhyphen word\u2060joiner non\u200cjoiner"},
	{name: "a byte order mark", raw: "\ufeffHello Pat\ufeff!"},
	{name: "markup", raw: `<b>Hello</b> <script>alert("Pat")</script> <br> <!-- x --> </p><p>`},
	{name: "entities and escapes", raw: `&amp; &lt;b&gt; &#10; &nbsp; \n \t \u0041 %0A %20 \\ \"`},
	{name: "templates", raw: "{{first_name}} ${name} %s {0} <%= x %> [[a]] `code` $1 $&"},
	{name: "quotes and dashes", raw: `"straight" 'single' “curly” ‘single’ «guillemets» – — … -- ...`},
	{name: "lists that an editor might format", raw: "- one\n* two\n1. three\n1) four\n# five\n> six\n---\n**bold** _it_ :) :-( (c)"},
	{name: "addresses, mentions, tags", raw: "https://example.com/a?b=c&d=%C3%BC#e rita@example.com @Pat #hiring /remove"},
	{name: "what the Send button says", raw: "Send"},
	{name: "what the box says", raw: "Write a message…"},
	{name: "what the page says of its person", raw: "Pat Example\nMessage\nNew message"},
	{name: "a line without a space", raw: strings.Repeat("wordwithoutend", 60)},
	{
		name: "scripts, marks and markup at once", raw: "<b>&amp; 👩‍💻 🇩🇪 q\u0323\u0307 Zo\u0065\u0308</b>\n\nשלום Pat, مرحبا 123\n“q” {{x}} \\n",
		canonical: "<b>&amp; 👩‍💻 🇩🇪 q\u0323\u0307 Zo\u00eb</b>\n\nשלום Pat, مرحبا 123\n“q” {{x}} \\n", inSample: true,
	},
	{name: "the longest", raw: long("Dear Pat, this is a longer letter. ", 700), inSample: true},
	{name: "the longest, of markup", raw: strings.Repeat("<", textMax)},
	{name: "the longest, of emoji", raw: strings.Repeat("🎉", textMax)},
	{name: "the longest, of the most lines", raw: long("as many words as it takes, ", 16)},
}

// long fills a text up to the longest with a sentence, in lines of so many characters.
func long(sentence string, lineLength int) string {
	runes := make([]rune, 0, textMax)
	words := []rune(sentence)
	for i := range textMax {
		next := words[i%len(words)]
		if i%(lineLength+1) == lineLength {
			next = '\n'
		}
		runes = append(runes, next)
	}
	for i := range runes { // no line may end in a space, which is not canonical
		if runes[i] == ' ' && (i+1 == len(runes) || runes[i+1] == '\n') {
			runes[i] = '.'
		}
	}
	return string(runes)
}

// refusedTexts cannot be sent as they are: a box shows them as something else. Each is refused when it is proposed, by the
// name of its character.
var refusedTexts = []struct{ name, raw, says string }{
	{"a tab in a line", "one\ttwo", "U+0009"},
	{"a tab at the beginning of a line", "one\n\ttwo", "U+0009"},
	{"a line separator", "one\u2028two", "U+2028"},
	{"a paragraph separator", "one\u2029two", "U+2029"},
	{"a next-line character", "one\u0085two", "U+0085"},
	{"a vertical tab", "one\vtwo", "U+000B"},
	{"a NUL", "one\x00two", "U+0000"},
	{"nothing", " \n\t\n ", "empty"},
	{"one line too many", strings.Repeat("x\n", linesMax) + "x", "501 lines"},
	{"one character too many", strings.Repeat("x", textMax+1), "8001"},
}

// Goal: a text that cannot be sent is refused when it is proposed, with the remedy.
func TestTextsThatCannotBeSent(t *testing.T) {
	r := newWorld(t, world{within: samplePatience})
	for _, c := range refusedTexts {
		_, err := r.api.Propose(r.ctx, r.account, ada.Slug, c.raw)
		var problem *harness.Problem
		if !errors.As(err, &problem) || problem.Code != "invalid_field" || !strings.Contains(problem.Detail, c.says) {
			r.Errorf("%s: %v, want it refused with a word about %s", c.name, err, c.says)
		}
	}
}

// runTextCases sends the texts in one browser, one after the other, alternately as a first message and into an existing
// conversation.
func runTextCases(t *testing.T, r *rig, in *install, variant standin.Variant, cases []textCase) {
	for i, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			w := r.writing(t, in, tess(i), variant)
			w.byID = true
			if i%2 == 1 {
				acquainted(w)
			}
			w.body = c.raw
			w.write()
			w.body = c.want()
			if w.m.Body != w.body {
				t.Fatalf("the approved text is %q, want %q", w.m.Body, w.body)
			}
			w.wantsArrived()
			w.wantsTyped()
		})
	}
}

// wantsTyped checks that the box held the text as it was approved, but for the no-break spaces that an editor puts.
func (w *writing) wantsTyped() {
	w.Helper()
	var typed []string
	for _, box := range w.site.State().Typed(w.person.ID) {
		text := strings.ReplaceAll(box.Text, "\u00a0", " ")
		if text == w.body {
			return
		}
		typed = append(typed, text)
	}
	w.Errorf("the box held %q, want %q", typed, w.body)
}

// tess is the person of a text, by its number.
func tess(number int) standin.Person {
	person := pat(number)
	person.Slug = "tess-" + person.Slug
	return person
}
