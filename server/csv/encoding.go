package csv

import (
	"bytes"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

// Encoding is how the letters of a file are written.
type Encoding string

// The encodings that spreadsheets write.
const (
	UTF8        Encoding = "utf-8"
	UTF16LE     Encoding = "utf-16le"
	UTF16BE     Encoding = "utf-16be"
	Windows1252 Encoding = "windows-1252"
)

// Encodings lists every encoding.
func Encodings() []Encoding { return []Encoding{UTF8, UTF16LE, UTF16BE, Windows1252} }

// marks say at the beginning of a file how it is written.
var marks = []struct {
	bytes []byte
	is    Encoding
}{
	{[]byte{0xEF, 0xBB, 0xBF}, UTF8},
	{[]byte{0xFF, 0xFE}, UTF16LE},
	{[]byte{0xFE, 0xFF}, UTF16BE},
}

// detect says how a file is written, and returns it without its mark. Without one, a file of UTF-16 is known by the zero in each second
// byte of Latin text, and a file of UTF-8 by its letters of several bytes, which text in Windows-1252 has only by chance.
func detect(raw []byte) ([]byte, Encoding) {
	for _, mark := range marks {
		if rest, ok := bytes.CutPrefix(raw, mark.bytes); ok {
			return rest, mark.is
		}
	}
	if is, ok := detectUTF16(raw); ok {
		return raw, is
	}
	letters, wrong := 0, 0
	for rest := raw; len(rest) > 0; {
		r, size := utf8.DecodeRune(rest)
		switch {
		case r == utf8.RuneError && size == 1:
			wrong++
		case size > 1:
			letters++
		}
		rest = rest[size:]
	}
	// One broken byte among many good letters is a broken letter, not another encoding of all of them.
	if wrong > 0 && wrong*2 > letters {
		return raw, Windows1252
	}
	return raw, UTF8
}

const (
	utf16SampleMax = 4 << 10 // bytes that are looked at
	utf16PartMin   = 3       // of four pairs have a zero, where the text is Latin
)

func detectUTF16(raw []byte) (Encoding, bool) {
	sample := raw[:min(len(raw), utf16SampleMax)]
	pairs := len(sample) / 2
	var low, high int
	for i := range pairs {
		if sample[2*i] == 0 {
			high++
		}
		if sample[2*i+1] == 0 {
			low++
		}
	}
	switch {
	case pairs > 0 && low*4 >= pairs*utf16PartMin:
		return UTF16LE, true
	case pairs > 0 && high*4 >= pairs*utf16PartMin:
		return UTF16BE, true
	}
	return "", false
}

func (e Encoding) decoder() *encoding.Decoder {
	switch e {
	case UTF16LE:
		return unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM).NewDecoder()
	case UTF16BE:
		return unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM).NewDecoder()
	case Windows1252:
		return charmap.Windows1252.NewDecoder()
	}
	return unicode.UTF8.NewDecoder()
}
