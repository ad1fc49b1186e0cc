package postgres

import (
	"net/url"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"brenner"
)

// schema is where the tables live, apart from those of other programs in the
// same database.
const schema = "brenner"

// splitAddress takes the project parameter out of a database URL. It works on
// the text and not on a parsed URL, because a URL with several hosts, which
// PostgreSQL allows, is none to net/url.
func splitAddress(address string) (rest, project string, err error) {
	if !strings.HasPrefix(address, "postgres://") && !strings.HasPrefix(address, "postgresql://") {
		return "", "", badAddress("it does not begin with postgres://")
	}
	rest, query, _ := strings.Cut(address, "?")
	var kept []string
	for pair := range strings.SplitSeq(query, "&") {
		value, ours := strings.CutPrefix(pair, "project=")
		switch {
		case pair == "":
		case !ours:
			kept = append(kept, pair)
		case project != "":
			return "", "", badAddress("it names two projects")
		default:
			if project, err = url.QueryUnescape(value); err != nil || project == "" {
				return "", "", badAddress("the project parameter is empty or badly escaped")
			}
		}
	}
	if len(kept) > 0 {
		rest += "?" + strings.Join(kept, "&")
	}
	return rest, project, nil
}

// badAddress never quotes the address, nor the parser's complaint about it:
// either may hold the password.
func badAddress(reason string) error {
	return brenner.Errorf(brenner.CodeUsage, "the database address is not valid: %s", reason).
		WithHint("write it as postgres://USER@HOST/DATABASE?project=NAME, with special characters in a password percent-encoded")
}

// configure reads the rest of the address, which pgx understands as libpq
// does, environment included.
func configure(address string) (*pgxpool.Config, error) {
	config, err := pgxpool.ParseConfig(address)
	if err != nil {
		return nil, badAddress("its parts cannot be read")
	}
	params := config.ConnConfig.RuntimeParams
	params["search_path"] = schema
	if params["application_name"] == "" {
		params["application_name"] = "brenner"
	}
	// Statements are planned once: they are few, and written so that one plan
	// is right for all their values.
	params["plan_cache_mode"] = "force_generic_plan"
	// A writer whose machine vanished must not hold the project's lock until
	// the kernel gives up two hours later.
	params["tcp_keepalives_idle"] = "30"
	params["tcp_keepalives_interval"] = "10"
	params["tcp_keepalives_count"] = "3"
	if !strings.Contains(address, "pool_max_conns=") {
		config.MaxConns = maxReaders
	}
	config.MaxConnIdleTime = idleTime
	if config.ConnConfig.ConnectTimeout == 0 {
		config.ConnConfig.ConnectTimeout = connectTimeout
	}
	config.AfterConnect = greet
	return config, nil
}

// connectTimeout is shorter than brenner.WriteDeadline, so that a writer that
// cannot reach the server hears so, and not that the store is busy.
const connectTimeout = 10 * time.Second

// maxReaders is how many reads go on at once unless pool_max_conns in the
// address says otherwise; further ones wait. Connections are made as they are
// needed and closed after idleTime.
const (
	maxReaders = 40
	idleTime   = 5 * time.Minute
)

// place names the database in messages: where it is, never how to get in.
func place(config *pgxpool.Config) string {
	return config.ConnConfig.Database + " at " + config.ConnConfig.Host
}
