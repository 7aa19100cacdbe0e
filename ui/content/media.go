package content

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"time"

	"wiretea/ui/format"
)

// mediaWords say what audio or another file is, in words that are safe to print: its
// format, and of audio its rate, its channels and how long it plays, as far as its
// headers tell. They are empty for what is not known.
func mediaWords(data []byte) string {
	switch {
	case len(data) >= 12 && string(data[:4]) == "RIFF" && string(data[8:12]) == "WAVE":
		return wavWords(data)
	case bytes.HasPrefix(data, []byte("fLaC")):
		return flacWords(data)
	case bytes.HasPrefix(data, []byte("OggS")):
		return oggWords(data)
	case len(data) >= 12 && string(data[4:8]) == "ftyp":
		return "MP4 (" + strings.TrimSpace(visible(string(data[8:12]))) + ")"
	case bytes.HasPrefix(data, []byte("%PDF-")):
		return "PDF " + visible(string(bytes.TrimSpace(data[5:min(len(data), 8)])))
	case len(data) >= 12 && string(data[:4]) == "RIFF" && string(data[8:12]) == "WEBP":
		return "webp, a format that is not drawn"
	case bytes.HasPrefix(data, []byte("\x1f\x8b")):
		return "gzip"
	case bytes.HasPrefix(data, []byte("PK\x03\x04")):
		return "ZIP"
	}
	return mp3Words(data)
}

// audio says in words what a sound is. What is zero is not known.
func audio(kind string, rate, channels int64, length time.Duration) string {
	words := kind
	if rate > 0 {
		words += fmt.Sprintf(" %d Hz", rate)
	}
	if channels > 0 {
		words += ", " + format.Plural(channels, "channel")
	}
	if length > 0 {
		words += ", " + format.Duration(int64(length))
	}
	return words
}

// lasts is how long a number of samples lasts, or of anything else at a rate a second.
func lasts(samples, rate uint64) time.Duration {
	if rate == 0 {
		return 0
	}
	return time.Duration(float64(samples) / float64(rate) * float64(time.Second))
}

// wavWords describe a WAV file, by its chunks.
func wavWords(data []byte) string {
	var rate, channels, second, size uint64
	for at := 12; at+8 <= len(data); {
		n := uint64(binary.LittleEndian.Uint32(data[at+4:]))
		body := data[at+8:]
		switch string(data[at : at+4]) {
		case "fmt ":
			if len(body) >= 12 {
				channels, rate, second = uint64(binary.LittleEndian.Uint16(body[2:])), uint64(binary.LittleEndian.Uint32(body[4:])), uint64(binary.LittleEndian.Uint32(body[8:]))
			}
		case "data":
			size = min(n, uint64(len(body))) // Some writers do not know it yet.
		}
		if n+n%2 > uint64(len(body)) {
			break
		}
		at += 8 + int(n+n%2)
	}
	return audio("WAV", int64(rate), int64(channels), lasts(size, second))
}

// flacWords describe a FLAC file, by its first block.
func flacWords(data []byte) string {
	if len(data) < 26 {
		return "FLAC"
	}
	bits := binary.BigEndian.Uint64(data[18:]) // 20 bits rate, 3 channels, 5 depth, 36 samples
	rate := bits >> 44
	return audio("FLAC", int64(rate), int64(bits>>41&7)+1, lasts(bits&(1<<36-1), rate))
}

// oggWords describe an Ogg file of Vorbis or Opus, by its first page and its last one.
func oggWords(data []byte) string {
	kind, rate, channels := "Ogg", uint64(0), int64(0)
	if at := bytes.Index(data[:min(len(data), 256)], []byte("\x01vorbis")); at >= 0 && at+16 <= len(data) {
		kind, channels, rate = "Ogg Vorbis", int64(data[at+11]), uint64(binary.LittleEndian.Uint32(data[at+12:]))
	} else if at := bytes.Index(data[:min(len(data), 256)], []byte("OpusHead")); at >= 0 && at+10 <= len(data) {
		kind, channels, rate = "Ogg Opus", int64(data[at+9]), 48000 // RFC 7845 §4: positions count 48 kHz.
	}
	length := time.Duration(0)
	if at := bytes.LastIndex(data, []byte("OggS")); at >= 0 && at+14 <= len(data) {
		if samples := binary.LittleEndian.Uint64(data[at+6:]); samples < 1<<40 {
			length = lasts(samples, rate)
		}
	}
	return audio(kind, int64(rate), channels, length)
}

// The bit rates in kbit/s of MPEG 1 and of MPEG 2, layer III, and the sample rates.
var (
	mp3Rates   = [2][16]uint64{{0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 0}, {0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160, 0}}
	mp3Samples = [3]uint64{44100, 48000, 32000}
)

// mp3Words describe an MP3 file, by its first frame: the length is that of a constant
// bit rate, or what a header of a variable one says. They are empty for any other file.
func mp3Words(data []byte) string {
	if tag := bytes.HasPrefix(data, []byte("ID3")); tag && len(data) >= 10 {
		size := int(data[6]&0x7f)<<21 | int(data[7]&0x7f)<<14 | int(data[8]&0x7f)<<7 | int(data[9]&0x7f)
		if 10+size >= len(data) {
			return "MP3"
		}
		data = data[10+size:]
	}
	// Eleven bits of sync, then the version, and 01 for layer III.
	if len(data) < 4 || data[0] != 0xff || data[1]&0xe0 != 0xe0 || data[1]>>1&3 != 1 {
		return ""
	}
	version := data[1] >> 3 & 3 // 3 = MPEG 1, 2 = MPEG 2, 0 = MPEG 2.5
	low, rate := 1, uint64(0)
	if version == 3 {
		low = 0
	}
	if n := data[2] >> 2 & 3; n < 3 && version != 1 {
		rate = mp3Samples[n] >> map[byte]int{3: 0, 2: 1, 0: 2}[version]
	}
	bits := mp3Rates[low][data[2]>>4] * 1000
	if rate == 0 || bits == 0 {
		return ""
	}
	channels := int64(2)
	if data[3]>>6 == 3 {
		channels = 1
	}
	length := lasts(uint64(len(data))*8, bits)
	head := data[:min(len(data), 256)]
	for _, sign := range []string{"Xing", "Info"} {
		if at := bytes.Index(head, []byte(sign)); at >= 0 && at+12 <= len(head) && head[at+7]&1 != 0 {
			length = lasts(uint64(binary.BigEndian.Uint32(head[at+8:]))*1152>>low, rate)
		}
	}
	return audio("MP3", int64(rate), channels, length)
}
