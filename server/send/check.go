package send

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"sendonce/server/config"
	"sendonce/server/rule"
)

// EvidenceCheck is the kind of evidence that a check is, whatever it found.
const EvidenceCheck = "check"

// CheckResult is what a look at the conversation, later, came to.
type CheckResult string

// The results of a check. Absent and NoConversation prove nothing alone: a message may still arrive.
const (
	CheckFound          CheckResult = "found"
	CheckAbsent         CheckResult = "absent"
	CheckNoConversation CheckResult = "no_conversation"
	CheckCouldNot       CheckResult = "could_not_check"
)

// CheckResults lists them, as frames name them.
func CheckResults() []CheckResult {
	return []CheckResult{CheckFound, CheckAbsent, CheckNoConversation, CheckCouldNot}
}

// The reasons for which an install did not even look. The account's next send goes on waiting for one that does.
var notLooked = []string{"busy", "paused", "signed_out", "wrong_member", "stopped"}

// CheckReasons are why it could not be told, as frames name them.
func CheckReasons() []string {
	return append([]string{"wrong_person", "group_thread", "not_shown", "too_long"}, notLooked...)
}

// Check is what an install is asked to look for. It never types and never clicks.
type Check struct {
	Token        string // signed; names the send and the install
	Send         uuid.UUID
	Account      uuid.UUID
	MemberURN    string
	Person       Recipient
	Conversation string
	// Wanted are the texts that may stand there, the unconfirmed send's own first.
	Wanted  []Wanted
	HeldIDs []string
}

// Wanted is one version of the message that an attempt was begun with.
type Wanted struct {
	Version    int
	Body       string
	ApprovedAt time.Time // the earliest approval of an attempt with it
}

// Tried is one attempt of a message that ever started.
type Tried struct {
	Send                  uuid.UUID
	Version               int
	Body                  string
	StartedAt, ApprovedAt time.Time
}

// Seen is one copy of one version that a check found.
type Seen struct {
	Copy
	Version int
}

// Checked is what an install says of a check.
type Checked struct {
	Session      Session
	Token        string
	Result       CheckResult
	Reason       string // one of CheckReasons, or ""
	Seen         []Seen
	Conversation string
	// Raw is the frame's evidence as JSON, kept as it came. It holds no message text.
	Raw []byte
}

// CheckWork is what a check asks for, with every attempt of its message.
type CheckWork struct {
	Send, Workspace uuid.UUID
	AskedAt         time.Time // by the database's clock
	MemberURN       string
	Person          Recipient
	Conversation    string
	HeldIDs         []string
	Tried           []Tried // the newest first
}

// CheckWrite is what a check brings to be written.
type CheckWrite struct {
	Send, Install, Check uuid.UUID
	AskedAt              time.Time // zero when it is not known
	Result               CheckResult
	HasLooked            bool
	Raw                  []byte
}

// CheckAsk is one try to have something looked at.
type CheckAsk struct {
	Session Session
	Account uuid.UUID
}

// CheckStore plans checks and keeps what they found.
type CheckStore interface {
	// CheckNext takes the account's next due check and writes when it is due again, as pause says: 0 is never. nil when none
	// is due, or when the session may not look.
	CheckNext(ctx context.Context, ask CheckAsk, pause func(tries int) time.Duration) (*CheckWork, error)
	// Attempts lists every attempt of the send's message that ever started, the newest first.
	Attempts(ctx context.Context, send uuid.UUID) ([]Tried, error)
	// Rivals lists what else may have left a copy of a text of that message.
	Rivals(ctx context.Context, send uuid.UUID) ([]Rival, error)
	// CheckRecord keeps the result as evidence, once. When somebody looked, the account's next send no longer waits for it.
	CheckRecord(ctx context.Context, write CheckWrite) error
}

// CheckAgainStore has a send looked at again, in one transaction.
type CheckAgainStore interface {
	// CheckAgain makes the send's next check due now. problem.NotFound when the workspace has no such send, and
	// problem.NotUnconfirmed when nothing about it is unknown.
	CheckAgain(ctx context.Context, workspace, send uuid.UUID) (message, account uuid.UUID, err error)
}

// CheckPause says after how long a check that was tried so often before is tried again if this try does not settle the
// send; 0 is never.
func CheckPause(tries int) time.Duration {
	pauses := config.CheckPauses()
	if tries >= len(pauses) {
		return 0
	}
	return pauses[tries]
}

// NextCheck implements Installs.
func (s *Service) NextCheck(ctx context.Context, session Session, account uuid.UUID) (*Check, error) {
	work, err := s.store.CheckNext(ctx, CheckAsk{Session: session, Account: account}, CheckPause)
	if err != nil {
		return nil, fmt.Errorf("take the next check: %w", err)
	}
	if work == nil {
		return nil, nil
	}
	token, err := s.checkTokens.Sign(LeaseClaims{
		Send: work.Send, Lease: uuid.New(), Install: session.Install, Account: account, Workspace: work.Workspace,
		AskedAt: work.AskedAt,
	})
	if err != nil {
		return nil, fmt.Errorf("sign the check token: %w", err)
	}
	return &Check{
		Token: token, Send: work.Send, Account: account, MemberURN: work.MemberURN, Person: work.Person,
		Conversation: work.Conversation, Wanted: wantedOf(work.Tried, work.Send), HeldIDs: work.HeldIDs,
	}, nil
}

// wantedOf names each version once. Texts beyond what one frame carries are left out; the send's own never is.
func wantedOf(tried []Tried, own uuid.UUID) []Wanted {
	var wanted []Wanted
	at, bytes := map[int]int{}, 0
	add := func(t Tried) {
		if i, known := at[t.Version]; known {
			if t.ApprovedAt.Before(wanted[i].ApprovedAt) {
				wanted[i].ApprovedAt = t.ApprovedAt
			}
			return
		}
		if bytes += len(t.Body); len(wanted) > 0 && (len(wanted) == config.CheckTextsMax || bytes > config.CheckTextBytesMax) {
			return
		}
		at[t.Version] = len(wanted)
		wanted = append(wanted, Wanted{Version: t.Version, Body: t.Body, ApprovedAt: t.ApprovedAt})
	}
	for _, t := range tried {
		if t.Send == own {
			add(t)
		}
	}
	for _, t := range tried {
		add(t)
	}
	return wanted
}

// Checked implements Installs. What was found confirms the attempts that it belongs to, as a report would; what was not
// found is kept, and settles nothing by itself.
func (s *Service) Checked(ctx context.Context, c Checked) error {
	claims, err := s.claimsOf(ctx, s.checkTokens, c.Session, c.Token)
	if err != nil {
		return err
	}
	result := c.Result
	if result == CheckFound {
		isConfirmed, err := s.confirm(ctx, claims, c)
		if err != nil {
			return err
		}
		if !isConfirmed {
			result = CheckCouldNot // only copies of other messages, or that may be theirs, or from before the approval
		}
	}
	write := CheckWrite{
		Send: claims.Send, Install: c.Session.Install, Check: claims.Lease, AskedAt: claims.AskedAt, Result: result,
		HasLooked: !slices.Contains(notLooked, c.Reason), Raw: c.Raw,
	}
	if err := s.store.CheckRecord(ctx, write); err != nil {
		return fmt.Errorf("keep what a check found: %w", err)
	}
	s.waker.Wake(claims.Account)
	return nil
}

// confirm says whether any attempt is confirmed by what was seen. A look is no answer to a request: what it does not confirm
// it leaves as it is, and it writes nothing but the result that Checked keeps.
func (s *Service) confirm(ctx context.Context, claims LeaseClaims, c Checked) (bool, error) {
	tried, err := s.store.Attempts(ctx, claims.Send)
	if err != nil {
		return false, fmt.Errorf("read the attempts that a check is about: %w", err)
	}
	rivals, err := s.store.Rivals(ctx, claims.Send)
	if err != nil {
		return false, fmt.Errorf("read whose else the copies may be: %w", err)
	}
	isConfirmed := false
	for id, copies := range attribute(c.Seen, tried, rivals) {
		report := Report{Acted: &rule.Acted{Answer: rule.Answer{Kind: rule.AnswerNone}, Look: rule.LookFound}, Copies: copies}
		write := ReportWrite{
			Actor: rule.Observer, Send: id, Lease: claims.Lease, Install: c.Session.Install, Conversation: c.Conversation, Raw: c.Raw,
			Breaker: s.settings.Breaker,
		}
		for _, one := range copies {
			write.ProviderIDs = append(write.ProviderIDs, one.ProviderID)
		}
		var decided ReportDecision // anew each time that it is asked
		_, _, err := s.store.RecordReport(ctx, write, func(f ReportFacts) ReportDecision {
			if decided = DecideReport(f, claims.Lease, report); decided.Kind != EvidenceConfirmation {
				decided = ReportDecision{} // other messages hold every copy
			}
			return decided
		})
		if err != nil && !errors.Is(err, ErrNoSend) {
			return false, fmt.Errorf("record what a check found: %w", err)
		}
		isConfirmed = isConfirmed || decided.Kind == EvidenceConfirmation
	}
	return isConfirmed, nil
}
