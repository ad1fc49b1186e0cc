package config_test

import (
	"fmt"

	"brenner/config"
)

// A configuration is read whole or not at all; what is wrong is named with its
// line.
func ExampleParse() {
	c, err := config.Parse("brenner.config.json", []byte(`{"modules": ["growth", "drugs"], "compression_threshold": 12}`))
	fmt.Println(len(c.Modules), c.CompressionThreshold, err)
	_, err = config.Parse("brenner.config.json", []byte("{\n  \"moduls\": []\n}"))
	fmt.Println(err)
	// Output:
	// 2 12 <nil>
	// INVALID_CONFIG: brenner.config.json:2:3: unknown key "moduls"
}
