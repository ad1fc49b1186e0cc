package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

// readReasons reads the survivors that have a reason: rows of a table, the
// mutant as the tool prints it and the reason, parted by a bar. No file is no
// reasons.
func readReasons(name string) (map[string]string, error) {
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	reasons := map[string]string{}
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.TrimSpace(line), "|")
		if len(cells) != 4 || !strings.Contains(cells[1], " → ") {
			continue
		}
		key, reason := strings.Trim(cells[1], " `"), strings.TrimSpace(cells[2])
		if reason == "" {
			return nil, fmt.Errorf("%s: %s has no reason", name, key)
		}
		reasons[key] = reason
	}
	return reasons, nil
}
