package framing

import "strconv"

// AppendLine appends body as a line to dst. A body with a line feed in it makes
// several lines.
func AppendLine(dst, body []byte) []byte {
	return append(append(dst, body...), '\n')
}

// AppendContentLength appends body, with the header block that announces it, to
// dst.
func AppendContentLength(dst, body []byte) []byte {
	dst = append(dst, "Content-Length: "...)
	dst = strconv.AppendInt(dst, int64(len(body)), 10)
	dst = append(dst, "\r\n\r\n"...)
	return append(dst, body...)
}
