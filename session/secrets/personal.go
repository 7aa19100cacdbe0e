package secrets

import "bytes"

// personal finds what is about people: addresses of mail, numbers of phones, of payment
// cards and of bank accounts.
func (s *scan) personal() {
	s.each("@", s.mail)
	for i := 0; i < len(s.text); {
		c := s.text[i]
		switch {
		case i > 0 && (word(s.text[i-1]) || s.text[i-1] == '.'), !upper(c) && c != '+' && c != '(':
			i++
		case digit(c), c == '+', c == '(':
			i = max(i+1, s.number(i))
		default:
			i = max(i+1, s.account(i))
		}
	}
}

// mail looks at an address around its at sign.
func (s *scan) mail(at int) int {
	local := func(c byte) bool { return named(c) || c == '+' || c == '%' }
	from := at
	for from > 0 && at-from < 64 && local(s.text[from-1]) {
		from--
	}
	end := run(s.text, at+1, named)
	for end > at && !alnum(s.text[end-1]) {
		end--
	}
	dot := bytes.LastIndexByte(s.text[at:end], '.')
	if from < at && dot > 1 && end-at-dot > 2 && run(s.text[:end], at+dot+1, alpha) == end {
		s.add(from, end, "mail address")
	}
	return end
}

// number looks at digits with single separators between groups of them: a card with its
// check digit, else a phone number that begins with its country, or with an area in
// parentheses.
func (s *scan) number(from int) int {
	var digits []byte
	end, i := from, from
	for ; i < len(s.text) && i-from < 32; i++ {
		c := s.text[i]
		if digit(c) {
			digits = append(digits, c)
			end = i + 1
			continue
		}
		if !(c == '+' && i == from) && (bytes.IndexByte([]byte(" -./()"), c) < 0 || i > from && i-end > 1) {
			break
		}
	}
	if end < len(s.text) && word(s.text[end]) {
		return run(s.text, end, word)
	}
	grouped := end-from > len(digits)
	switch n := len(digits); {
	case ofCard(digits) && luhn(digits):
		s.add(from, end, "card number")
	case s.text[from] == '+' && n >= 8 && n <= 15, s.text[from] == '(' && grouped && n >= 9 && n <= 11:
		s.add(from, end, "phone number")
	case grouped && n == 10 && s.groups(from, end):
		s.add(from, end, "phone number")
	}
	return end
}

// groups reports whether digits are in groups of three, three and four.
func (s *scan) groups(from, end int) bool {
	return end-from == 12 && s.text[from+3] == s.text[from+7] && bytes.IndexByte([]byte(" -."), s.text[from+3]) >= 0
}

// ofCard reports whether digits are as many as cards have that begin like them.
func ofCard(digits []byte) bool {
	n := len(digits)
	if n < 13 {
		return false
	}
	switch digits[0] {
	case '2', '5':
		return n == 16
	case '3':
		return n == 14 || n == 15 || n == 16 && digits[1] == '5'
	case '4':
		return n == 13 || n == 16 || n == 19
	case '6':
		return n >= 16 && n <= 19
	}
	return false
}

// luhn reports whether the last digit checks the others.
func luhn(digits []byte) bool {
	sum := 0
	for i := range digits {
		d := int(digits[len(digits)-1-i] - '0')
		if i%2 == 1 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return sum%10 == 0
}

// account looks at an IBAN, in groups of four or in one.
func (s *scan) account(from int) int {
	var plain []byte
	end := from
	for i := from; i < len(s.text) && i-from < 42; i++ {
		if c := s.text[i]; upper(c) {
			plain = append(plain, c)
			end = i + 1
		} else if c != ' ' || i-end > 0 {
			break
		}
	}
	for len(plain) >= 15 && end > from { // A word in capitals may follow.
		if len(plain) <= 34 && checked(plain) && (end == len(s.text) || !word(s.text[end])) {
			s.add(from, end, "bank account")
			return end
		}
		end--
		if s.text[end] != ' ' {
			plain = plain[:len(plain)-1]
		}
	}
	return run(s.text, from, word)
}

// checked reports whether an IBAN has its country and the right check digits.
func checked(iban []byte) bool {
	if digit(iban[0]) || digit(iban[1]) || !digit(iban[2]) || !digit(iban[3]) {
		return false
	}
	rest := 0
	for i := range iban {
		switch c := iban[(i+4)%len(iban)]; {
		case digit(c):
			rest = (rest*10 + int(c-'0')) % 97
		default:
			rest = (rest*100 + int(c-'A') + 10) % 97
		}
	}
	return rest == 1
}
