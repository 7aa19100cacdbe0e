package main

import (
	_ "crypto/tls"
	_ "encoding/xml"
	"fmt"
	_ "html/template"
	_ "net/http"

	_ "charm.land/bubbles/v2/key"
	_ "charm.land/bubbles/v2/spinner"
	_ "charm.land/bubbles/v2/textinput"
	_ "charm.land/bubbletea/v2"
	_ "charm.land/lipgloss/v2"
	_ "github.com/BurntSushi/toml"
	_ "github.com/alecthomas/chroma/v2"
	_ "github.com/fsnotify/fsnotify"
	_ "github.com/go-json-experiment/json/jsontext"
	_ "github.com/klauspost/compress/gzip"
	_ "github.com/klauspost/compress/zstd"
	_ "github.com/spf13/cobra"
	_ "go.yaml.in/yaml/v3"
	_ "golang.org/x/sys/unix"
	_ "golang.org/x/term"
)

func main() { fmt.Println("hello") }
