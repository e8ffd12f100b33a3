// Package gateway is the websocket side of the server: connections of installs, their frames, and who is given the next
// lease. It is the only user of the websocket library. docs/protocol.md says what the frames mean, shared/frames holds
// valid and broken ones.
package gateway

import (
	"encoding/json"
	"unicode/utf8"

	"sendonce/server/config"
)

// The codes of the frame "error".
const (
	codeMalformed   = "malformed_frame"
	codeUnknownType = "unknown_type"
	codeHelloFirst  = "hello_first"
	codeBadCode     = "bad_code"
	codeBadSecret   = "bad_secret"
	codeBadToken    = "bad_token"
	codeRevoked     = "install_revoked"
	codeBadLease    = "bad_lease"
	codeUnavailable = "unavailable"
	codeTooMany     = "too_many"
)

var errorCodes = []string{
	codeMalformed, codeUnknownType, codeHelloFirst, codeBadCode, codeBadSecret, codeBadToken, codeRevoked, codeBadLease,
	codeUnavailable, codeTooMany,
}

// frame is one that an install said and that has its shape.
type frame struct {
	Type string
	ID   string
	raw  []byte
}

// into reads the frame's fields. The frame has its shape, so that the only error is a field that this package's struct
// has and the shape does not.
func (f frame) into(fields any) error { return json.Unmarshal(f.raw, fields) }

var headShape = fields{{"v", integerOf(protocolVersion, protocolVersion)}, {"type", textOf(config.FrameIDLengthMax)}, {"id", idShape}}

// decode reads a frame of an install. With a fault the frame has the id if that could be read, else "".
func decode(raw []byte) (frame, *fault) {
	if !utf8.Valid(raw) {
		return frame{}, &fault{"", "a frame is UTF-8"}
	}
	members, bad := membersOf(raw, "")
	if bad != nil {
		return frame{}, bad
	}
	f := frame{raw: raw}
	if idShape.check(members["id"], "id") == nil {
		_ = json.Unmarshal(members["id"], &f.ID)
	}
	f.Type, bad = checkFrame(members, fromInstall, headShape)
	return f, bad
}

// checkFrame returns the frame's type and what is wrong with it.
func checkFrame(members map[string]json.RawMessage, shapes map[string]shape, head fields) (string, *fault) {
	if bad := headShape[0].shape.check(members["v"], "v"); bad != nil {
		return "", bad
	}
	var name string
	_ = json.Unmarshal(members["type"], &name) // what is no text is no type
	s, known := shapes[name]
	if !known {
		return "", &fault{"type", "is no type of a frame that is spoken here"}
	}
	return name, s.checkMembers(members, "", head)
}

// checkOutgoing holds what the server is about to say against the same shapes: a frame that the install would refuse is
// better found here.
func checkOutgoing(raw []byte) *fault {
	members, bad := membersOf(raw, "")
	if bad != nil {
		return bad
	}
	head := headShape
	var name string
	_ = json.Unmarshal(members["type"], &name)
	switch name {
	case "lease", "check", "pause", "superseded":
	case "error":
		head = append(head[:len(head):len(head)], field{"re", orNull(idShape)})
	default:
		head = append(head[:len(head):len(head)], field{"re", idShape})
	}
	_, bad = checkFrame(members, fromServer, head)
	return bad
}
