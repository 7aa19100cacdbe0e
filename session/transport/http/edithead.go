package http

import (
	"maps"
	"net/http"
	"slices"
	"strconv"

	"wiretea/session"
)

// edit changes the head of a response as a person has edited it: the status, and of the fields
// those that were shown. The record gets the head again, with both.
func (d *download) edit(to session.HTTPHead) {
	res := d.res
	ev := &session.HTTPEvent{Status: res.StatusCode, Proto: res.Proto}
	came := res.Header.Clone()
	if to.Status != 0 && to.Status != res.StatusCode {
		res.StatusCode = to.Status
		ev.Changed = append(ev.Changed, session.HTTPField{Name: ":status", Value: strconv.Itoa(to.Status)})
	}
	if to.Fields != nil {
		ev.Changed = append(ev.Changed, d.editFields(to.Fields)...)
	}
	if len(ev.Changed) > 0 {
		d.f.trip.response(ev, came)
	}
}

// editFields sets the fields that were shown, and returns those that have changed: with an
// empty value those that were removed.
func (d *download) editFields(to []session.HTTPField) (changed []session.HTTPField) {
	header, given := d.res.Header, http.Header{}
	for _, field := range to {
		given.Add(field.Name, field.Value)
	}
	for _, field := range d.f.log().shown(header) {
		if _, kept := given[field.Name]; !kept && header[field.Name] != nil {
			delete(header, field.Name)
			changed = append(changed, session.HTTPField{Name: field.Name})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if slices.Equal(given[name], header[name]) {
			continue
		}
		header[name] = given[name]
		for _, value := range given[name] {
			changed = append(changed, d.f.log().field(name, value))
		}
	}
	return changed
}
