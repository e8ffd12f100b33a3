package message

import (
	"testing"

	"github.com/google/uuid"

	"sendonce/server/access"
	"sendonce/server/problem"
)

// An agent or a viewer never decides, whatever edge asks: the refusal comes before the store is touched.
func TestOnlyPeopleDecide(t *testing.T) {
	t.Parallel()
	for _, role := range []access.Role{access.Agent, access.Viewer, "nothing"} {
		who := access.Principal{Role: role}
		if _, _, err := Approve(t.Context(), nil, who, uuid.New(), Yes{}); !problem.Is(err, problem.Forbidden) {
			t.Errorf("%s approves: %v", role, err)
		}
		if _, err := Withdraw(t.Context(), nil, who, uuid.New()); !problem.Is(err, problem.Forbidden) {
			t.Errorf("%s withdraws: %v", role, err)
		}
		if _, err := Reject(t.Context(), nil, who, uuid.New(), No{}); !problem.Is(err, problem.Forbidden) {
			t.Errorf("%s rejects: %v", role, err)
		}
		if _, err := Revoke(t.Context(), nil, who, uuid.New()); !problem.Is(err, problem.Forbidden) {
			t.Errorf("%s revokes: %v", role, err)
		}
		if _, err := SetPolicy(t.Context(), nil, who, Change{}); !problem.Is(err, problem.Forbidden) {
			t.Errorf("%s sets the policy: %v", role, err)
		}
	}
}
