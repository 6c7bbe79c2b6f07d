package main

import (
	"io"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestParseFlagsRefuses(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"--target http://192.0.2.1:7143":             "only loopback addresses are allowed",
		"--target http://example.org":                "only loopback addresses are allowed",
		"--target http://127.0.0.1.example.org":      "only loopback addresses are allowed",
		"--target https://127.0.0.1:7143":            "want http://ADDRESS:PORT",
		"--target 127.0.0.1:7143":                    "--target",
		"--target http://127.0.0.1:7143/api":         "want http://ADDRESS:PORT",
		"--target http://user@127.0.0.1:7143":        "want http://ADDRESS:PORT",
		"--protocol v3":                              `--protocol "v3": want v1, v2, connect or grpc`,
		"--op burn":                                  `--op "burn": want conceal, reveal or both`,
		"--target http://127.0.0.1,":                 `--target ""`,
		"--target http://127.0.0.1,http://192.0.2.1": "only loopback addresses are allowed",
		"--ttl 59s":                             "--ttl 59s: want whole seconds",
		"--ttl 61500ms":                         "--ttl 1m1.5s: want whole seconds",
		"--ttl 169h":                            "--ttl 169h0m0s: want whole seconds",
		"--networks 4 --protocol grpc":          "--networks: not over grpc",
		"--networks 5000":                       "--networks 5000: want 0 to 4096",
		"--clients 0":                           "--clients 0: want 1 to 4096",
		"--count 5000001":                       "--count 5000001: want 1 to 5000000",
		"--size 0":                              "--size 0: want 1 to 102400",
		"--warmup -1":                           "--warmup -1: want 0 to 1000000",
		"--duration 11m":                        "--duration 11m0s: want 0 to 10m0s",
		"--duration ten":                        "-duration",
		"--processes 12,":                       `--processes "12,": want process numbers`,
		"--processes=":                          "want the number of a process",
		"--processes 12,12":                     "12 is named twice",
		"--processes 0":                         "want process numbers",
		"--processes 4294967296":                "want process numbers",
		"--bare --processes 1":                  "leave out --processes",
		"--nonsense":                            "-nonsense",
		"now":                                   `unexpected argument "now"`,
		"--bare --target http://127.0.0.1:7143": "leave out --target",
		"--count 10 --duration 10s --protocol http": `--protocol "http"`,
	} {
		_, err := parseFlags(strings.Fields(args), io.Discard)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("parseFlags(%s): got %v, want an error with %q", args, err, want)
		}
	}
}

func TestParseFlagsCount(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]int{
		"":                               100_000,
		"--duration 10s":                 maxCount,
		"--duration 10s --op both":       maxCount,
		"--duration 10s --op reveal":     100_000,
		"--duration 10s --count 7":       7,
		"--op reveal --count 5000000":    5_000_000,
		"--target http://[::1]:80":       100_000,
		"--target http://127.8.9.1:1/":   100_000,
		"--target http://localhost:7143": 100_000,
	} {
		cfg, err := parseFlags(strings.Fields(args), io.Discard)
		if err != nil || cfg.count != want {
			t.Errorf("parseFlags(%s): got count %d, %v, want %d", args, cfg.count, err, want)
		}
	}
	cfg, err := parseFlags([]string{"--target", "http://localhost,http://[::1]:81", "--duration", "3s"}, io.Discard)
	want := []target{{host: "localhost", addr: "127.0.0.1:80"}, {host: "[::1]:81", addr: "[::1]:81"}}
	if err != nil || !slices.Equal(cfg.targets, want) || cfg.duration != 3*time.Second {
		t.Errorf("parseFlags: got %+v, %v, want %+v", cfg, err, want)
	}
}
