package receipt

import (
	"fmt"
	"strings"
)

// Summary is what a person wants to know first, in a few lines: what, to whom, how it ended, and who says so. Whatever others
// have written is quoted, so that it cannot look like a line of ours or steer a terminal.
func (r Receipt) Summary() string {
	var out strings.Builder
	m := r.Message
	fmt.Fprintf(&out, "Message   %s, version %d: %q\n", m.ID, m.Version, m.Purpose)
	fmt.Fprintf(&out, "To        %s\n", m.Person.called())
	fmt.Fprintf(&out, "From      %q on %s, for the team %q\n", m.Account.Handle, m.Channel, m.Workspace.Name)
	fmt.Fprintf(&out, "Approved  %s\n", r.approved())
	status := string(m.Authority)
	if m.Status != nil {
		status = string(*m.Status)
	}
	fmt.Fprintf(&out, "Status    %s: %s\n", status, m.Text)
	if m.Instruction != nil {
		fmt.Fprintf(&out, "          %s\n", *m.Instruction)
	}
	fmt.Fprintf(&out, "Sends     %d; copies known to have arrived: %d; incidents: %d\n", len(r.Sends), r.Copies(), len(r.Incidents))
	fmt.Fprintf(&out, "Signed    %s by the key %s, of what was known at %s. A later receipt may say more.\n",
		r.Signature.SignedAt, r.Signature.KeyID, r.ReadAt)
	return out.String()
}

// Copies is how many copies are known to have arrived. More than one is a reason for an incident.
func (r Receipt) Copies() int {
	copies := map[string]bool{} // two sends may have seen the same one
	for _, s := range r.Sends {
		for _, d := range s.Deliveries {
			copies[d.ProviderID] = true
		}
	}
	return len(copies)
}

func (p Person) called() string {
	if p.Name == nil && len(p.Identities) == 0 {
		return "somebody who was removed since: nothing is known of them"
	}
	var names []string
	if p.Name != nil {
		names = append(names, fmt.Sprintf("%q", *p.Name))
	}
	for _, identity := range p.Identities {
		names = append(names, fmt.Sprintf("%s %q", identity.Kind, identity.Value))
	}
	return strings.Join(names, ", ")
}

// approved tells of the newest approval, which says for itself whether it still stands.
func (r Receipt) approved() string {
	if len(r.Approvals) == 0 {
		return "by nobody"
	}
	a := r.Approvals[len(r.Approvals)-1]
	text := fmt.Sprintf("version %d by %q at %s", a.Version, a.Approver, a.ApprovedAt)
	if a.VoidedAt != nil {
		text += fmt.Sprintf("; it stands no longer since %s", *a.VoidedAt)
	}
	return text
}
