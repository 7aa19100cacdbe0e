// Package chart draws numbers as pictures of cells: histograms, heat maps, sparklines and
// bars. Each says as much without colours.
//
// A chart is given the room that it has and fills it, or says what it can in less.
package chart
