package http

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"time"

	"wiretea/session/atomicfile"
)

const (
	certificateLife = 365 * 24 * time.Hour
	certificateRest = 14 * 24 * time.Hour // certificateRest is how long a stored one must still be valid.
)

// Certificate returns a self-signed certificate for localhost, the loopback addresses and
// the given hosts. If file is not empty, it is kept there for the next time, with its key
// and readable by the owner alone; clients are told to trust that file.
func Certificate(file string, hosts ...string) (*tls.Certificate, error) {
	hosts = append([]string{"localhost", "127.0.0.1", "::1"}, hosts...)
	if file != "" {
		if cert, err := tls.LoadX509KeyPair(file, file); err == nil && serves(cert.Leaf, hosts) {
			return &cert, nil
		}
	}
	text, err := newCertificate(hosts)
	if err != nil {
		return nil, fmt.Errorf("making a certificate: %w", err)
	}
	if file != "" {
		if err := atomicfile.WriteBytes(file, atomicfile.Options{Mode: 0o600}, text); err != nil {
			return nil, fmt.Errorf("storing the certificate: %w", err)
		}
	}
	cert, err := tls.X509KeyPair(text, text)
	return &cert, err
}

// serves reports whether a certificate is valid for a while, for all hosts.
func serves(cert *x509.Certificate, hosts []string) bool {
	for _, host := range hosts {
		if cert.VerifyHostname(host) != nil {
			return false
		}
	}
	return time.Now().Add(certificateRest).Before(cert.NotAfter)
}

// newCertificate makes a certificate and its key, as PEM.
func newCertificate(hosts []string) ([]byte, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		return nil, err
	}
	now := time.Now()
	template := &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: "wiretea proxy"},
		NotBefore: now.Add(-time.Hour), NotAfter: now.Add(certificateLife),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		BasicConstraintsValid: true, // It is no CA: whoever trusts it trusts these hosts only.
	}
	for _, host := range hosts {
		if ip := net.ParseIP(host); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else if host != "" {
			template.DNSNames = append(template.DNSNames, host)
		}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return nil, err
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	return append(text, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})...), nil
}
