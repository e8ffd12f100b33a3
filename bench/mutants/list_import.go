package main

// fileMutants break what a file is read as, and what a row of it may change.
func fileMutants() []mutant {
	const (
		read, reader, writer = "server/csv/csv.go", "server/csv/encoding.go", "server/csv/write.go"
		mapping              = "server/imports/mapping.go"
	)
	shown := goTest("ShownFirst", "./server/api")
	return []mutant{
		{
			name: "mark-is-a-letter", breaks: "the first column of a file is lost", file: reader,
			find: "return rest, mark.is", replace: "return append(mark.bytes, rest...), mark.is", test: goTest("Encodings", "./server/csv"),
		},
		{
			name: "broken-letter-makes-1252", breaks: "one broken byte spoils every umlaut of a list", file: reader,
			find: "if wrong > 0 && wrong*2 > letters {", replace: "if wrong > 0 {", test: goTest("Encodings", "./server/csv"),
		},
		{
			name: "semicolons-are-no-delimiter", breaks: "a list from a spreadsheet of another country is one column", file: read,
			find: "best, most, widest = delimiter, alike, first", replace: "most, widest = alike, first", test: goTest("Delimiters", "./server/csv"),
		},
		{
			name: "open-quote-swallows-rows", breaks: "half of a list is missing without a word", file: read,
			find: "&& errors.Is(err, csv.ErrQuote) && f.isAtEnd() {", replace: "&& errors.Is(err, csv.ErrQuote) && false {", test: goTest("Flaws", "./server/csv"),
		},
		{
			name: "cell-is-a-formula", breaks: "a stranger's cell runs in the spreadsheet of whoever opens the results", file: writer,
			find: "safe[i] = asText(cell)", replace: "safe[i] = cell", test: goTest("WritingIsSafe", "./server/csv"),
		},
		{
			name: "formula-behind-a-delimiter", breaks: "a cell runs in the spreadsheet of a country with another delimiter", file: writer,
			find: "if begins && strings.ContainsRune(formulaBegins, r) &&", replace: "if false && strings.ContainsRune(formulaBegins, r) &&", test: goTest("WritingIsSafe", "./server/csv"),
		},
		{
			name: "row-of-any-width", breaks: "a file of commas takes all the memory of the server", file: "server/csv/width.go",
			find: "if n.cells >= config.ImportColumnsMax {", replace: "if false && n.cells >= config.ImportColumnsMax {", test: goTest("WideRows", "./server/csv"),
		},
		{
			name: "width-does-not-follow-quotes", breaks: "a list with notes is refused as too wide", file: "server/csv/width.go",
			find: "n.at = inQuotes\n\tcase b", replace: "n.at = inCell\n\tcase b", test: goTest("WideRows", "./server/csv"),
		},
		{
			name: "shifted-row-is-taken", breaks: "a person gets their neighbour's cells", file: mapping,
			find: "surplus >= 0 {", replace: "false && surplus >= 0 {", test: shown,
		},
		{
			name: "null-is-a-name", breaks: "a person is called null", file: mapping,
			find: " || template.IsNothing(row.Cells[at]) {", replace: " || template.IsNothing(\"x\"+row.Cells[at]) {", test: shown,
		},
		{
			name: "import-overwrites", breaks: "an old list undoes what a colleague has typed", file: mapping,
			find: "if next.Company == \"\" {", replace: "if c.Company != \"\" {", test: goTest("Fill|Reimport", "./server/imports", "./server/api"),
		},
		{
			name: "import-overwrites-fields", breaks: "an old list undoes what a colleague has typed of somebody", file: mapping,
			find: "!isThere && value != \"\" && len", replace: "(true || !isThere) && value != \"\" && len", test: goTest("Fill", "./server/imports"),
		},
	}
}

// importMutants break whom an import takes, and that it goes on where it was.
func importMutants() []mutant {
	const judge, step, people = "server/imports/judge.go", "server/imports/step.go", "server/postgres/import_people.go"
	shown := goTest("ShownFirst", "./server/api")
	anywhere, vanishes := goTest("GoesOnAnywhere", "./server/imports"), goTest("VanishesFromFiles", "./server/api")
	return []mutant{
		{
			name: "second-profile-by-import", breaks: "what is approved for one goes to another's profile", file: judge,
			find: "case m.IsTwo || hasAnotherProfile(c, m.Person):", replace: "case m.IsTwo:", test: shown,
		},
		{
			name: "import-takes-who-said-no", breaks: "whoever must not be contacted is on the list again", file: judge,
			find: "case m.Because != \"\":", replace: "case false:", test: shown,
		},
		{
			name: "unconfirmed-is-not-shown", breaks: "nobody sees that a message may have reached them", file: judge,
			find: "case m.Unconfirmed:", replace: "case false:", test: shown,
		},
		{
			name: "twins-are-two", breaks: "one file makes one person twice", file: judge,
			find: "isThere && row < number && (earlier", replace: "isThere && row > number && (earlier", test: anywhere,
		},
		{
			name: "twin-of-a-twin-counts", breaks: "a row is left out for one that is left out itself", file: judge,
			find: "counts = earlier", replace: "counts = number", test: goTest("Twins", "./server/imports"),
		},
		{
			name: "twins-are-forgotten-with-the-server", breaks: "a server that takes over makes one person twice", file: step,
			find: "if err := i.catchUp(ctx, store, twins); err != nil {", replace: "if err := ctx.Err(); err != nil {", test: anywhere,
		},
		{
			name: "import-is-not-looked-at-again", breaks: "who was marked after the preview is taken", file: step,
			find: "row.Verdict, row.Why = removedSince()\n\t\t\tcontinue\n\t\t}\n\t\tif row.Verdict == InFileTwice {", replace: "continue\n\t\t}\n\t\tif row.Verdict == InFileTwice {", test: vanishes,
		},
		{
			name: "moved-people-are-filled", breaks: "two lists at one moment lose what one of them says", file: people,
			find: "if int(count) != len(kinds) {", replace: "if int(count) > len(kinds) {", test: goTest("ImportsOfOneList", "./server/imports"),
		},
	}
}

// fileTraceMutants break what a file may leave of people in the server.
func fileTraceMutants() []mutant {
	const step, people = "server/imports/step.go", "server/postgres/import_people.go"
	vanishes := goTest("VanishesFromFiles", "./server/api")
	// A file that comes after the removal is looked through before its rows are.
	removedAtUpload := []edit{{"server/postgres/import.go", "if removed[i] {", "if false {"}}
	return []mutant{
		{
			name: "import-names-the-removed", breaks: "who asked to be forgotten stands in a list for a month", file: step,
			find: "rows[at].IsForgotten = found[n].WasRemoved", replace: "rows[at].IsForgotten = false", test: vanishes,
			behind: removedAtUpload,
		},
		{
			name: "import-names-the-removed-beside", breaks: "who asked to be forgotten stands in the second row that names them, or in a wrong one", file: step,
			find: "candidates[at] = &Candidate{Named: c.Named}", replace: "candidates[at] = nil", test: goTest("NoRowOfALaterFile", "./server/api"),
			behind: removedAtUpload,
		},
		{
			name: "import-names-the-removed-elsewhere", breaks: "who asked to be forgotten stands in a column that is nothing", file: people,
			find: "names[at] = c.Named", replace: "names[at] = c.Identities", test: goTest("NoRowOfALaterFile", "./server/api"),
			behind: removedAtUpload,
		},
		{
			name: "person-names-a-column", breaks: "a person stands in the names of columns for good, and is not taken", file: "server/imports/upload.go",
			find: "slices.ContainsFunc(rows[0].Cells, isLikeAddress)", replace: "slices.ContainsFunc(rows[0].Cells, func(c string) bool { return isLikeAddress(c) && len(addressesOf(rows[0].Cells)) > 0 })", test: goTest("NobodyIsTheNameOfAColumn", "./server/api"),
		},
		{
			name: "removal-leaves-files", breaks: "who asked to be forgotten stands in the files that named them", file: forgetSchema,
			find: "AND (r.person_id = ANY (same) OR r.names &&", replace: "AND (false AND r.person_id = ANY (same) OR false AND r.names &&", test: vanishes,
		},
		{
			name: "removed-row-is-filled-again", breaks: "a row is emptied for somebody who was removed, and then no longer known as that", file: "server/postgres/db/import.sql.go",
			find: "forgotten = r.forgotten OR w.forgotten,", replace: "forgotten = w.forgotten,", test: goTest("ARemovalMeetsAStep", "./server/imports"),
		},
		{
			name: "removed-person-in-an-unmapped-file", breaks: "who asked to be forgotten stands in a new file for a month", file: "server/postgres/import.go",
			find: "if removed[i] {", replace: "if false {", test: goTest("AFileKeepsNobody", "./server/imports"),
		},
		{
			name: "made-up-columns-are-remembered", breaks: "a company is taken for a name, because another file had one there", file: "server/imports/upload.go",
			find: "if i.HasHeader { // made-up", replace: "if true { // made-up", test: goTest("ColumnsAreRemembered", "./server/api"),
		},
		{
			name: "import-begins-unseen", breaks: "a list comes in before anybody has seen what it does", file: "server/imports/upload.go",
			find: "case NeedsMapping:", replace: "case \"\":", test: goTest("ColumnsAreRemembered", "./server/api"),
		},
		{
			name: "agent-imports", breaks: "a program says what templates say to many", file: "server/access/access.go",
			find: "Agent:     {Read, Propose, Suppress},", replace: "Agent:     {Read, Propose, Import, Suppress},", test: goTest("EachRole", "./server/api"),
		},
	}
}
