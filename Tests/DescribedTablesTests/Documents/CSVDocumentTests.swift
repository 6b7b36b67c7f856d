import CatalogModel
import CatalogTestSupport
import DescribedTables
import Projections
import Promises
import Testing

@Suite(
  "Documents of CSV",
  .promise(
    "Documents of CSV and JSON are read as Python reads them; what is refused names file, "
      + "line and column"))
struct CSVDocumentTests {
  static let shop = """
    {"kind": "shop", "tables": {"products": {"key": "sku", "columns": {
      "sku": "text", "name": {"type": "text", "name": true}, "price": "number?", "stock": "integer?",
      "ean": {"type": "text?", "unique": true}}}},
     "documents": {
       "first": {"rows": {"products": {}}, "twice": "first"},
       "aside": {"rows": {"products": {}}, "twice": "set aside", "rowsOfOtherLength": "set aside"},
       "lax": {"rows": {"products": {}}, "others": "drop", "ignore": ["seen"]},
       "comma": {"csv": {"separator": ";", "decimal": ","}, "rows": {"products": {}}}}}
    """

  static func read(
    _ text: String, _ document: String = "products", _ request: TableDocumentRequest = .init()
  ) throws -> TableDocument {
    try read(Array(text.utf8), document, request)
  }

  static func read(
    _ bytes: [UInt8], _ document: String = "products", _ request: TableDocumentRequest = .init()
  ) throws -> TableDocument {
    let kind = try KindDescription.read(Array(shop.utf8), file: "kind.json")
    return try TableDocumentReader(kind, document, request)
      .read(SourceFile(name: "shop.csv", bytes: bytes))
  }

  static func rows(_ document: TableDocument) -> [[Value]] {
    document.tables[0].rows.map { document.tables[0].values($0) }
  }

  static let header = "sku,name,price,stock,ean\n"

  struct Refused: Sendable, CustomTestStringConvertible {
    var text: String
    var document = "products"
    var sentences: [String]
    var count = 1
    var testDescription: String { sentences[0] }

    init(_ text: String, _ document: String = "products", _ sentences: String..., count: Int = 1) {
      self.text = text
      self.document = document
      self.sentences = sentences
      self.count = count
    }

    static let all = [
      Refused(
        header + "a,A,1,1,x\nb,B,\"12,99\",2,y\na,C,3,x,z\n", "products",
        "shop.csv: line 3, price: \"12,99\" is not a number (byte 40); \"decimal\": \",\"",
        "shop.csv: line 4, stock: \"x\" is not a whole number", count: 2),
      Refused(
        header + "a,A,1,1,x\nb,B,2,2,y\na,C,3,3,z\n", "products",
        "shop.csv: line 4, sku: \"a\" is also on line 2; ean, or name, or price would"),
      Refused(
        header + "a,A,1,1,x\na,A,1,1,x\n", "products",
        "line 3, sku: \"a\" is also on line 2, in a row that is the same"),
      Refused(
        header + "a,A,1,1,x\nb,B,1,1,x\n", "products",
        "line 3, ean: \"x\" is also on line 2, and is unique"),
      Refused(
        "sku,nam,price,stock,ean\n", "products",
        "line 1: \"nam\" is not a column of products; did you mean \"name\"?"),
      Refused(
        "skU,name,price,stock,ean\n", "products",
        "line 1: the column \"sku\" is missing in the header; the header has \"skU\": if that is meant, name it \"sku\" there"
      ),
      Refused(
        "sku,name,price,stock,ean,vendor\n", "products",
        "line 1: \"vendor\" is not a column of products; leave it out, or let \"documents\": {\"products\": "
      ),
      Refused("sku,name,sku\n", "products", "\"sku\" is the name of column 1 and of column 3"),
      Refused("sku,,name\n", "products", "column 2 of 3 has no name in the header"),
      Refused(
        header + "a,A,1,1\nb,B,1,1,x,y\n", "products",
        "line 2: the row has 4 values, the header 5 (byte 25); \"rowsOfOtherLength\"",
        "line 3: the row has 6 values, the header 5", count: 2),
      Refused(
        header + "a,A,1,1,x\nb,B,1", "aside", "line 3: the document ends in the middle of this row"),
      Refused(
        header + "a,A,1,1,x\nb,\"B,1,1,y\n", "products",
        "line 3: the document ends in a value whose quotation mark is open (byte 37)"),
      Refused(
        header + "a,\"A\"b,1,1,x\n", "products",
        "line 2: text follows the quotation mark that closes a value (byte 30)"),
      Refused(header + "a,A\0,1,1,x\n", "products", "line 2: the document holds U+0000 (byte 28)"),
      Refused(header + ",A,-0.0,1,x\n", "products", "\"-0.0\" is a zero with a minus"),
      Refused(header + "a,A,inf,1,x\n", "products", "\"inf\" is not a number"),
      Refused(header + "a,A,1e999,1,x\n", "products", "\"1e999\" is too large for a number"),
      Refused(
        header + "a,A,9007199254740993,1,x\n", "products", "cannot be kept exactly as a number"),
      Refused(
        header + "a,A,0.1234567890123456789,1,x\n", "products",
        "has more digits than a number keeps"),
      Refused(header + "a,A,1,9223372036854775808,x\n", "products", "does not fit into 64 bits"),
      Refused(header + "a,A,1,1.5,x\n", "products", "\"1.5\" is not a whole number"),
      Refused(
        header + "a,A,\"1,299.00\",1,x\n", "products", "write it without separators of thousands"),
      Refused(
        "sku;name;price;stock;ean\na;A;12.99;1;x\n", "comma", "\"12.99\" is not a number"),
    ]
  }

  @Test(
    "A document with faults is refused with all of them and their places", arguments: Refused.all)
  func refuses(_ refused: Refused) throws {
    let error = try #require(throws: DocumentError.self) {
      try Self.read(refused.text, refused.document)
    }
    #expect(error.faultCount == refused.count, "\(error)")
    for sentence in refused.sentences {
      #expect(error.description.contains(sentence), "\(error)")
    }
  }

  @Test("Ten faults are listed, and all are counted")
  func countsFaults() throws {
    let lines = (0..<1_000).map { "a\($0),A,x,y,z\($0)\n" }.joined()
    let error = try #require(throws: DocumentError.self) { try Self.read(Self.header + lines) }
    #expect(error.faultCount == 2_000)
    #expect(error.furtherFaults.count == 9)
    #expect(error.description.hasSuffix("and 1990 more"))
  }

  @Test("Separators, line ends, marks and encodings do not change what is read")
  func readsForms() throws {
    let expected: [[Value]] = [
      [.text("a"), .text("Süß"), .real(1.5), .integer(2), .text("x")],
      [.text("b"), .text(""), .null, .null, .text("")],
    ]
    let plain = "sku,name,price,stock,ean\na,Süß,1.5,2,x\nb,,,,\n"
    var forms: [String: [UInt8]] = ["plain": Array(plain.utf8)]
    for separator in [";", "\t", "|"] {
      forms[separator] = Array(plain.replacing(",", with: separator).utf8)
    }
    forms["CRLF"] = Array(plain.replacing("\n", with: "\r\n").utf8)
    forms["CR"] = Array(plain.replacing("\n", with: "\r").utf8)
    forms["no end"] = Array(plain.utf8.dropLast())
    forms["mark"] = [0xEF, 0xBB, 0xBF] + Array(plain.utf8)
    forms["empty lines"] = Array("\n\(plain.replacing("\n", with: "\n\n"))\n".utf8)
    forms["sep="] = Array("sep=;\r\n\(plain.replacing(",", with: ";"))".utf8)
    forms["windows-1252"] = plain.unicodeScalars.map { UInt8($0.value) }
    let units = Array(("\u{FEFF}" + plain).utf16)
    forms["UTF-16LE"] = units.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    forms["UTF-16BE"] = units.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    for (name, bytes) in forms {
      let document = try Self.read(bytes)
      #expect(Self.rows(document) == expected, "\(name)")
      #expect(document.endsWithLineEnd == (name != "no end"), "\(name)")
    }
    let guessed = try Self.read(forms["windows-1252"] ?? [])
    #expect(guessed.notes.contains { $0.contains("is not UTF-8 and was read as windows-1252") })
  }

  @Test("A text of UTF-8 with one broken byte is not taken for windows-1252")
  func refusesBrokenUTF8() throws {
    let bytes = Array("sku,name,price,stock,ean\nä,ö,1,1,".utf8) + [0xFF, 0x0A]
    let error = try #require(throws: DocumentError.self) { try Self.read(bytes) }
    #expect(error.description.contains("line 2, ean: this is not UTF-8 (byte 35)"), "\(error)")
  }

  @Test("A document that had a line end before and has none is refused")
  func refusesMissingLineEnd() throws {
    var request = TableDocumentRequest()
    request.expectsLineEnd = true
    #expect(throws: DocumentError.self) {
      try Self.read(Self.header + "a,A,1,1,x", "products", request)
    }
    #expect(try Self.read(Self.header + "a,A,1,1,x\n", "products", request).tables[0].count == 1)
  }

  @Test("A separator is found by the names of the description")
  func findsSeparator() throws {
    let text = "sku;name;price;stock;ean\n" + "a,b;c,d;1;1;x,y\n"
    #expect(try Self.rows(Self.read(text))[0][1] == .text("c,d"))
  }

  @Test("Rows that are set aside, and keys that are there twice, change nothing")
  func setsAside() throws {
    let document = try Self.read(
      Self.header + "a,A,1,1,x\nb,B,1,1\nc,C,1,1,y\na,A,2,2,z\nd,D,1,1,w\n", "aside")
    #expect(Self.rows(document).map(\.[0]) == [.text("c"), .text("d")])
    #expect(document.setAside.map(\.line) == [3, 2, 5])
    var whole = TableDocumentRequest()
    whole.isComplete = true
    let complete = try Self.read(
      Self.header + "a,A,1,1,x\nb,B,1,1\nc,C,1,1,y\n", "aside", whole)
    let comparison = TableComparison(complete.tables[0], of: complete)
    for key in ["a", "b", "c", "gone"] {
      let row: [Value] = [.text(key), .text("N"), .null, .null, .null]
      DifferenceTests.add(row, to: comparison)
    }
    let difference = try comparison.finish()
    #expect(difference.removed.map(\.key) == [[.text("gone")]])
    #expect(difference.keptSetAside == 1)
  }

  @Test("The first of two rows with one key counts, if the description says so")
  func takesFirst() throws {
    let document = try Self.read(Self.header + "a,A,1,1,x\na,B,2,2,y\n", "first")
    #expect(Self.rows(document).map(\.[1]) == [.text("A")])
    #expect(
      document.notes.contains { $0.hasPrefix("1 row of shop.csv has the key of an earlier row") })
  }

  @Test("Columns that nobody named are passed over and counted, if the description says so")
  func passesOver() throws {
    let document = try Self.read("vendor,sku,name,price,stock,ean,seen\nV,a,A,1,1,x,now\n", "lax")
    #expect(document.passedOver == ["vendor": 1])
  }

  @Test("Columns that are not named are kept as JSON, if the description says so")
  func keepsOthers() throws {
    let kind = try KindDescription.read(
      Array(
        """
        {"kind": "k", "tables": {"t": {"key": "id", "columns": {"id": "text", "_others": "json?"}}},
         "documents": {"d": {"others": "keep"}, "e": {}}}
        """.utf8), file: "kind.json")
    let source = try SourceFile(name: "t.csv", bytes: Array("z,id,a\n1,x,\"\"\"q\"\"\"\n".utf8))
    let kept = try TableDocumentReader(kind, "d").read(source)
    #expect(Self.rows(kept) == [[.text("x"), .text(#"{"a":"\"q\"","z":"1"}"#)]])
    let other = try SourceFile(name: "t.csv", bytes: Array("id\nx\n".utf8))
    #expect(try Self.rows(TableDocumentReader(kind, "d").read(other)) == [[.text("x"), .null]])
    #expect(try Self.rows(TableDocumentReader(kind, "e").read(other)) == [[.text("x")]])
    let json = try SourceFile(
      name: "t.json", bytes: Array(#"[{"id": "x", "b": {"c": [1]}, "a": null}]"#.utf8))
    #expect(
      try Self.rows(TableDocumentReader(kind, "d").read(json))
        == [[.text("x"), .text(#"{"a":null,"b":{"c":[1]}}"#)]])
  }

  @Test(
    "A document that keeps what is not named needs a column for it",
    arguments: [
      (#""id": "text""#, "\"keep\" needs a column in t"),
      (#""id": "text", "_others": "text""#, "cannot be the type of _others"),
    ])
  func needsOthersColumn(columns: String, sentence: String) throws {
    let text = """
      {"kind": "k", "tables": {"t": {"key": "id", "columns": {\(columns)}}},
       "documents": {"d": {"others": "keep"}}}
      """
    let error = try #require(throws: DocumentError.self) {
      try KindDescription.read(Array(text.utf8), file: "kind.json")
    }
    #expect(error.description.contains(sentence), "\(error)")
  }

  @Test("A part may lack columns, which stay as they are; the whole may not")
  func lacksColumns() throws {
    let part = try Self.read("price,sku\n1.5,a\n")
    #expect(part.absentColumns == ["products.name", "products.stock", "products.ean"])
    var whole = TableDocumentRequest()
    whole.isComplete = true
    let error = try #require(throws: DocumentError.self) {
      try Self.read("price,sku\n1.5,a\n", "products", whole)
    }
    #expect(error.faultCount == 3)
  }

  @Test("A scope is the value of all rows, also of a column that the document lacks")
  func checksScope() throws {
    var request = TableDocumentRequest()
    request.scope = [("name", "Ferrum")]
    let error = try #require(throws: DocumentError.self) {
      try Self.read(Self.header + "a,Ferrum,1,1,x\nb,Veldt,1,1,y\n", "products", request)
    }
    #expect(
      error.description.contains("line 3, name: \"Veldt\" is outside of the document's scope"))
    let part = try Self.read("sku,price,stock,ean\na,1,1,x\n", "products", request)
    #expect(Self.rows(part)[0][1] == .text("Ferrum"))
  }

  @Test("A row may be longer than any buffer, with line ends in it")
  func readsLongRows() throws {
    let long = String(repeating: "long \"\" line\r\n", count: 400_000)
    let document = try Self.read(
      Self.header + "a,\"\(long)\",1,1,x\nb,B,y,1,y\n".replacing("y,1", with: "2,1"))
    #expect(
      Self.rows(document)[0][1]
        == .text(String(repeating: "long \" line\r\n", count: 400_000)))
    #expect(document.tables[0].origin(1) == 400_003)
  }
}
