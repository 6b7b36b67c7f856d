import ArgumentParser
import Bookshelf
import CatalogEngine
import CatalogPages
import EngineCommands

@main
struct ShelfControl: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "shelfctl", abstract: "A shelf of books that are lent and returned.",
    groupedSubcommands: [
      CommandGroup(name: "Books", subcommands: [Add.self, Lend.self, Return.self, List.self])
    ] + EngineCommandGroups.all(pages: PageCommands.all))

  static func main() {
    CatalogProgram(ShelfControl.self, kinds: [Bookshelf()]).run(CommandLine.arguments.dropFirst())
  }
}

struct Add: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Add a book, or correct its title.")

  @OptionGroup var options: CatalogOptions
  @Argument var book: EntityID
  @Argument var title: String

  func run() async throws {
    try await options.change { _ in [.added(book, title: title)] }
  }
}

struct Lend: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lend", abstract: "Lend a book to somebody.")

  @OptionGroup var options: CatalogOptions
  @Argument var book: EntityID
  @Argument var reader: String

  func run() async throws {
    try await options.change { rows in
      // Who has it already is not lent it again.
      try rows.row(of: Book.table, key: book)?.reader == reader ? [] : [.lent(book, to: reader)]
    }
  }
}

struct Return: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "return", abstract: "Put a book back on the shelf.")

  @OptionGroup var options: CatalogOptions
  @Argument var book: EntityID

  func run() async throws {
    try await options.change { rows in
      guard let found = try rows.row(of: Book.table, key: book), found.reader == nil else {
        return [.returned(book)]
      }
      return []
    }
  }
}

struct List: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the books.")

  @OptionGroup var options: CatalogOptions

  func run() async throws {
    try await options.readCatalog(of: Bookshelf()) { shelf in
      for book in try await shelf.rows(of: Book.table) {
        Console.current.write(
          "\(book.id)  \(book.title)" + (book.reader.map { ", lent to \($0)" } ?? ""))
      }
    }
  }
}

extension CatalogOptions {
  /// Changes the shelf, and says what that came to.
  func change(_ plan: @escaping @Sendable (any RowStore) throws -> [BookEvent]) async throws {
    try await withCatalog(of: Bookshelf()) { shelf in
      let report = try await shelf.change(by: "person", plan)
      Console.current.write(
        report.events == 0 ? "nothing to change" : "event \(report.sequence): done")
    }
  }
}
