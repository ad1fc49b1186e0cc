package postgres

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"brenner"
)

func TestTranslate_SpeaksTheCodesOfTheContract(t *testing.T) {
	for _, c := range []struct {
		err  error
		want brenner.Code
	}{
		{nil, ""},
		{&pgconn.PgError{Code: "53100"}, brenner.CodeStoreFull},
		{&pgconn.PgError{Code: "25006"}, brenner.CodeStoreReadOnly},
		{&pgconn.PgError{Code: "42501"}, brenner.CodeStoreReadOnly},
		{&pgconn.PgError{Code: "55P03"}, brenner.CodeStoreBusy},
		{&pgconn.PgError{Code: "40001"}, brenner.CodeStoreBusy},
		{&pgconn.PgError{Code: "40P01"}, brenner.CodeStoreBusy},
		{&pgconn.PgError{Code: "57014"}, brenner.CodeCanceled},
		{&pgconn.PgError{Code: "25P03"}, brenner.CodeStoreUnavailable},
		{&pgconn.PgError{Code: "57P01"}, brenner.CodeStoreUnavailable},
		{&pgconn.PgError{Code: "57P03"}, brenner.CodeStoreUnavailable},
		{&pgconn.PgError{Code: "53300"}, brenner.CodeStoreUnavailable},
		{&pgconn.PgError{Code: "53200"}, brenner.CodeStoreUnavailable},
		{&pgconn.PgError{Code: "28P01"}, brenner.CodeStoreUnavailable},
		{&pgconn.PgError{Code: "3D000"}, brenner.CodeStoreUnavailable},
		{&pgconn.PgError{Code: "08006"}, brenner.CodeStoreUnavailable},
		{&pgconn.PgError{Code: "58030"}, brenner.CodeStoreUnavailable},
		{&pgconn.PgError{Code: "23505", ConstraintName: "one_canonical_per_artifact"}, brenner.CodeSlotTaken},
		{&pgconn.PgError{Code: "23505", ConstraintName: "one_canonical_per_slot"}, brenner.CodeSlotTaken},
		{&pgconn.PgError{Code: "23505", ConstraintName: "requests_pkey"}, brenner.CodeAlreadyExists},
		{&pgconn.PgError{Code: "BR404"}, brenner.CodeNotFound},
		{&pgconn.PgError{Code: "BR409"}, brenner.CodeAlreadyExists},
		{&pgconn.PgError{Code: "BR410"}, brenner.CodeRedacted},
		{&pgconn.ConnectError{}, brenner.CodeStoreUnavailable},
		{fmt.Errorf("%w: broken pipe", errLost), brenner.CodeStoreUnavailable},
		{context.DeadlineExceeded, brenner.CodeStoreUnavailable}, // of a connection, not of the caller
		{brenner.Errorf(brenner.CodeStoreNewer, "newer"), brenner.CodeStoreNewer},
		{&pgconn.PgError{Code: "42601"}, brenner.CodeInternal},
		{errors.New("unheard of"), brenner.CodeInternal},
	} {
		err := translate(context.Background(), c.err)
		if got := brenner.CodeOf(err); got != c.want {
			t.Errorf("%#v became %v, want %s", c.err, err, c.want)
		}
		var e *brenner.Error
		if errors.As(err, &e) && brenner.ClassOf(e.Code) == brenner.ClassUnavailable && e.Code != brenner.CodeStoreNewer && e.Hint == "" {
			t.Errorf("%v has no hint", err)
		}
	}
}

func TestTranslate_CallerWhoGaveUpIsCanceledWhateverElse(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	stop()
	for _, err := range []error{errLost, context.Canceled, &pgconn.PgError{Code: "57014"}, &pgconn.PgError{Code: "57P01"}} {
		if got := brenner.CodeOf(translate(ctx, err)); got != brenner.CodeCanceled {
			t.Errorf("%v became %s", err, got)
		}
	}
}

func TestSplitAddress_TakesTheProjectOut(t *testing.T) {
	for address, want := range map[string][2]string{
		"postgres://h/db":                                  {"postgres://h/db", ""},
		"postgres://h/db?project=a":                        {"postgres://h/db", "a"},
		"postgresql://h/db?project=Cell%20fate+2":          {"postgresql://h/db", "Cell fate 2"},
		"postgres://h/db?sslmode=disable&project=a&x=y":    {"postgres://h/db?sslmode=disable&x=y", "a"},
		"postgres://u:p%3Fproject=x@h/db?project=b":        {"postgres://u:p%3Fproject=x@h/db", "b"},
		"postgres://h1:5432,h2:5433/db?host=/run&project=": {"", ""},
		"postgres://h1:5432,h2:5433/db?project=a":          {"postgres://h1:5432,h2:5433/db", "a"},
	} {
		rest, project, err := splitAddress(address)
		if (err != nil) != (want[0] == "") || rest != want[0] || project != want[1] {
			t.Errorf("%s: %q %q %v", address, rest, project, err)
		}
	}
}
