package capture

import (
	"crypto/tls"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"

	"wiretea/recorder"
	"wiretea/session/transport/http"
)

// firstPerson is the least uid of a person on most systems.
const firstPerson = 1000

// SharedMachine reports whether several people have accounts on the machine, as far as
// its user database tells.
func SharedMachine() bool {
	text, err := os.ReadFile("/etc/passwd")
	if err != nil {
		return false
	}
	people := 0
	for line := range strings.Lines(string(text)) {
		fields := strings.Split(strings.TrimSpace(line), ":")
		if len(fields) < 7 || strings.HasSuffix(fields[6], "nologin") || strings.HasSuffix(fields[6], "false") {
			continue
		}
		var uid int
		if _, err := fmt.Sscan(fields[2], &uid); err == nil && uid >= firstPerson && uid < 60000 {
			people++
		}
	}
	return people > 1
}

// ProxyCertificate returns the certificate with which a proxy speaks TLS on this machine, for
// an address to listen on, host:port, and the file that a client must be told to trust.
func ProxyCertificate(listen string) (file string, cert *tls.Certificate, err error) {
	folder, err := recorder.SessionsFolder("")
	if err != nil {
		return "", nil, err
	}
	file = filepath.Join(filepath.Dir(folder), "proxy-certificate.pem")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return "", nil, err
	}
	var hosts []string // hosts are those besides this machine's own names.
	host, _, _ := net.SplitHostPort(listen)
	if ip := net.ParseIP(host); host != "" && (ip == nil || !ip.IsUnspecified()) {
		hosts = []string{host}
	}
	cert, err = http.Certificate(file, hosts...)
	return file, cert, err
}
