package format

import (
	"strconv"
	"strings"

	"wiretea/session"
)

// Trip words a row of a round trip: "POST /mcp 200 12.0 ms" for its request, "200 12.0 ms"
// for its response, "stream ended by the server after 60.0 s" for the end of an event
// stream.
func Trip(s *session.Snapshot, i uint32) string {
	row := s.Row(i)
	trip := s.Trip(s.TripRow(i))
	switch row.Kind {
	case session.RowTrip:
		words := Visible([]byte(s.Name(row.Method)+" "+s.Name(row.Target)), 0)
		if trip.Response.Kind == session.RowTripResponse {
			words += " " + tripStatus(trip)
		}
		return words
	case session.RowTripResponse:
		return tripStatus(trip)
	case session.RowTripEnd:
		return "stream " + tripEnd(s.Name(row.Method)) + " after " + Duration(trip.Took)
	}
	return ""
}

func tripStatus(trip session.TripView) string {
	words := []string{"no response"}
	if trip.Status != 0 {
		words[0] = strconv.Itoa(trip.Status)
	}
	switch {
	case trip.Over:
		words = append(words, Duration(trip.Took))
	case trip.Stream:
		words = append(words, "stream open")
	}
	return strings.Join(words, " ")
}

// tripEnd words why a round trip ended.
func tripEnd(why string) string {
	switch why {
	case "eof":
		return "ended"
	case "client", "server":
		return "cut by the " + why
	case "reset":
		return "reset"
	case "timeout":
		return "timed out"
	}
	return "ended: " + Visible([]byte(why), 40)
}
