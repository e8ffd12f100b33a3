// Package sim lives through an hour of Sendonce in seconds, from one seed: several browsers, each with the extension's
// own worker and page scripts in engines of their own; one or two servers with their real gateway, API and sweeps, on a
// real Postgres; a LinkedIn that is slow, refuses, repeats and forgets; people who approve, edit, retry and err. One event
// happens at a time, and a seed decides which.
//
// A world runs inside a testing/synctest bubble: its goroutines live on a clock that moves only when the world says so, and
// after each event the world waits until the server has nothing left to do. Postgres reads the same clock: its
// sendonce_now is replaced by one that the world sets.
//
// What is simulated: the network, the browser around the extension's files (chrome.js is worker.js here), a page's
// elements (page.js), LinkedIn, people, time and chance, and what servers tell each other. What is real: the extension's
// background.js, core/, platform/ and page scripts but linkedin/walker.js, reader.js and selectors.js; the server's gateway,
// API and domain with their store; Postgres. Pages for people, metrics, arming, LISTEN and those who wait for events or stream
// them are not in it; a program that polls the feed is.
package sim
