// Package access is who may do what: principals with roles, the tokens of programs, and the one-time links and sessions
// by which people sign in. It stores no secret, only hashes.
package access

import (
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"sendonce/server/problem"
)

// Role is what a principal is for.
type Role string

// The roles.
const (
	Admin     Role = "admin"
	Recruiter Role = "recruiter"
	Viewer    Role = "viewer"
	// Agent is a program that writes: it proposes and reads, and never approves.
	Agent Role = "agent"
)

// Right is something a role may do.
type Right string

// The rights.
const (
	Read Right = "read"
	// Propose covers edits: an edited message waits for approval again.
	Propose Right = "propose"
	// Decide is to approve, to reject, to revoke, to withdraw and to close; to say who owns a person, and that two are one.
	Decide Right = "decide"
	// Compose is to write templates: what they say is said to many.
	Compose Right = "write templates"
	// Manage is to add and clear accounts and to pair browsers.
	Manage Right = "manage"
	// Import is to take people out of a file: what it says of them is what templates say to them.
	Import Right = "import people"
	// Suppress is to say that somebody must not be contacted: the safe side, so that programs may as well.
	Suppress Right = "say who must not be contacted"
	// Forget is to lift what others have said of whom not to contact, and to remove a person for good.
	Forget Right = "lift suppressions and remove people"
	// SetPolicy is to say who approves what, and what needs no person.
	SetPolicy Right = "set the policy"
	// Raise is to let an account begin more than is usual for its channel, which takes a reason as well.
	Raise Right = "raise limits above the usual"
	// Arm is to let a database send again that may not be the one that sent before.
	Arm Right = "arm"
)

var rights = map[Role][]Right{
	Admin:     {Read, Propose, Decide, Compose, Import, Manage, Suppress, Forget, SetPolicy, Raise, Arm},
	Recruiter: {Read, Propose, Decide, Compose, Import, Manage, Suppress},
	Viewer:    {Read},
	Agent:     {Read, Propose, Suppress},
}

// Roles lists every role.
func Roles() []Role { return []Role{Admin, Recruiter, Viewer, Agent} }

// ParseRole reads the name of a role.
func ParseRole(name string) (Role, error) {
	if role := Role(name); slices.Contains(Roles(), role) {
		return role, nil
	}
	return "", fmt.Errorf("the role %q is not one of %v", name, Roles())
}

// Principal is who acts: a person or a program of one workspace. It outlives its tokens.
type Principal struct {
	ID        uuid.UUID
	Workspace uuid.UUID
	Role      Role
	Name      string
}

// May reports whether the principal has the right.
func (p Principal) May(right Right) bool { return slices.Contains(rights[p.Role], right) }

// Require returns a problem when the principal lacks the right.
func (p Principal) Require(right Right) error {
	if p.May(right) {
		return nil
	}
	return problem.New(problem.Forbidden, "the role %s lacks the right to %s", p.Role, right)
}

// Workspace is a team.
type Workspace struct {
	ID        uuid.UUID
	Name      string
	CreatedAt time.Time
	// IsSandbox: the server's browsers and its LinkedIn are made up.
	IsSandbox bool
}
