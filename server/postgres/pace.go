package postgres

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"sendonce/server/pace"
	"sendonce/server/postgres/db"
	"sendonce/server/rule"
)

var _ pace.Store = transaction{}

// PaceLock implements pace.Store.
func (tx transaction) PaceLock(ctx context.Context, workspace, account uuid.UUID) error {
	if _, err := tx.q.PaceLock(ctx, workspace, account); err != nil {
		return notFound(err, "account", account)
	}
	return nil
}

// PaceGet implements pace.Store.
func (tx transaction) PaceGet(ctx context.Context, workspace, account uuid.UUID) (pace.Pace, error) {
	row, err := tx.q.PaceGet(ctx, workspace, account)
	if err != nil {
		return pace.Pace{}, notFound(err, "account", account)
	}
	usual, err := tx.q.PaceUsual(ctx, account)
	if err != nil {
		return pace.Pace{}, fmt.Errorf("read the defaults of limits: %w", err)
	}
	hours, err := hoursOf(row)
	if err != nil {
		return pace.Pace{}, err
	}
	return pace.Pace{
		Account: row.ID, Hours: hours, Now: row.NowAt,
		Limits: pace.Limits{
			Number: int(row.LimitsNumber), PerDay: int(row.PerDay), PerHour: int(row.PerHour), Gap: seconds(row.GapSeconds), Jitter: seconds(row.JitterSeconds),
			WarmUpFrom: int(row.WarmUpFrom), WarmUpDays: int(row.WarmUpDays), Why: row.Why, SetBy: orZero(row.LimitsSetBy), SetAt: orZero(row.LimitsSetAt),
		},
		Usual: pace.Limits{
			PerDay: int(usual.PerDay), PerHour: int(usual.PerHour), Gap: seconds(usual.GapSeconds), Jitter: seconds(usual.JitterSeconds),
			WarmUpFrom: int(usual.WarmUpFrom), WarmUpDays: int(usual.WarmUpDays),
		},
		WaitingFor: rule.Refusal(row.Because), FreeAt: row.FreeAt, OpenUntil: row.OpenUntil, DayBegun: int(row.DayBegun), DayMost: int(row.DayMost),
	}, nil
}

func seconds(n int32) time.Duration { return time.Duration(n) * time.Second }

func hoursOf(row db.PaceGetRow) (pace.Hours, error) {
	hours := pace.Hours{
		Number: int(row.HoursNumber), Zone: row.Zone, Opens: int(row.OpensMinute), Closes: int(row.ClosesMinute), Holidays: []string{},
		LateDays: int(row.LateDays), SetBy: orZero(row.HoursSetBy), SetAt: orZero(row.HoursSetAt),
	}
	return hours, readDays(&hours, row.Days, row.Holidays)
}

// readDays adds the working days and the holidays, each as the database lists them.
func readDays(hours *pace.Hours, days, holidays string) error {
	for day := range strings.SplitSeq(days, ",") {
		number, err := strconv.Atoi(day)
		if err != nil {
			return fmt.Errorf("read the working days %q: %w", days, err)
		}
		hours.Days = append(hours.Days, time.Weekday(number%7))
	}
	if holidays != "" {
		hours.Holidays = strings.Split(holidays, ",")
	}
	return nil
}

// ZoneIsKnown implements pace.Store.
func (tx transaction) ZoneIsKnown(ctx context.Context, zone string) (bool, error) {
	known, err := tx.q.ZoneIsKnown(ctx, zone)
	if err != nil {
		return false, fmt.Errorf("look for the time zone: %w", err)
	}
	return known, nil
}

// HoursAdd implements pace.Store.
func (tx transaction) HoursAdd(ctx context.Context, account, by uuid.UUID, hours pace.Hours) error {
	days := make([]int32, len(hours.Days))
	for i, day := range hours.Days {
		days[i] = int32((day+6)%7) + 1 // Monday is 1
	}
	err := tx.q.HoursInsert(ctx, db.HoursInsertParams{
		AccountID: account, Zone: hours.Zone, OpensMinute: int32(hours.Opens), ClosesMinute: int32(hours.Closes), Days: days,
		Holidays: strings.Join(hours.Holidays, ","), LateDays: int32(hours.LateDays), SetBy: by,
	})
	if err != nil {
		return fmt.Errorf("write the hours: %w", err)
	}
	return nil
}

// LimitsAdd implements pace.Store.
func (tx transaction) LimitsAdd(ctx context.Context, account, by uuid.UUID, limits pace.Limits) error {
	err := tx.q.LimitsInsert(ctx, db.LimitsInsertParams{
		AccountID: account, PerDay: int32(limits.PerDay), PerHour: int32(limits.PerHour), GapSeconds: int32(limits.Gap / time.Second),
		JitterSeconds: int32(limits.Jitter / time.Second), WarmUpFrom: int32(limits.WarmUpFrom), WarmUpDays: int32(limits.WarmUpDays),
		Why: limits.Why, SetBy: by,
	})
	if err != nil {
		return fmt.Errorf("write the limits: %w", err)
	}
	return nil
}

// PaceGet reads an account's pace outside a command.
func (s *Store) PaceGet(ctx context.Context, workspace, account uuid.UUID) (pace.Pace, error) {
	return transaction{q: s.queries(), conn: s.pool}.PaceGet(ctx, workspace, account)
}
