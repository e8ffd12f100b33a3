package problem

import "testing"

// A member of one refusal never takes the place of one that every refusal has.
func TestWithLeavesTheStandardMembers(t *testing.T) {
	t.Parallel()
	if p := New(NotEnded, "it is started").With("send_id", 7); p.More["send_id"] != 7 {
		t.Errorf("it has the members %v", p.More)
	}
	for _, name := range standard {
		if !panics(func() { New(NotEnded, "it is started").With(name, 7) }) {
			t.Errorf("%s was taken", name)
		}
	}
}

func panics(do func()) (did bool) {
	defer func() { did = recover() != nil }()
	do()
	return false
}
