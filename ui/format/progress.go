package format

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// barCells is the length of a bar of progress.
const barCells = 8

// Progress writes how far something has come: a bar with its percentage, the
// percentage alone where the bar would not fit into w cells, or the number that is
// told where there is no total.
func Progress(done, total float64, w int) string {
	if total <= 0 || done < 0 {
		return "▰ " + strconv.FormatFloat(done, 'g', 6, 64)
	}
	part := min(1, done/total)
	words := fmt.Sprintf("%d %%", int(100*part))
	if w < barCells+1+utf8.RuneCountInString(words) {
		return words
	}
	full := int(part*barCells + 0.5)
	return strings.Repeat("▰", full) + strings.Repeat("▱", barCells-full) + " " + words
}
