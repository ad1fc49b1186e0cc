package brenner

import "time"

// Duration is a length of time, written as 90s, 30m or 720h, also in JSON.
type Duration time.Duration

func (d Duration) String() string { return time.Duration(d).String() }

// MarshalText writes the duration as String does.
func (d Duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads what MarshalText wrote.
func (d *Duration) UnmarshalText(text []byte) error {
	read, err := time.ParseDuration(string(text))
	if err != nil {
		return Errorf(CodeInvalidValue, "not a length of time").
			WithHint("write it as 90s, 30m or 168h").Because(err)
	}
	*d = Duration(read)
	return nil
}
