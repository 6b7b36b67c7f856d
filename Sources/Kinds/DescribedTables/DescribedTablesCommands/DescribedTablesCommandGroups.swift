public import ArgumentParser
import DescribedTables
public import EngineCommands

/// The commands of described kinds.
public enum DescribedTablesCommandGroups {
  /// In the groups in which help lists them.
  public static let all: [CommandGroup] = [
    CommandGroup(
      name: "Tables of your own",
      subcommands: [
        AdoptCommand.self, CaptureCommand.self, KindCommand.self, RowsCommand.self,
        RecordCommand.self, RulesCommand.self,
      ])
  ]

  /// Commands of documents, by names that other kinds have, too.
  package static let documents: [CommandGroup] = [
    CommandGroup(
      name: "Documents", subcommands: [TablesImportCommand.self, TablesLintCommand.self])
  ]

  /// Commands of tables that work on catalogs of any kind.
  package static let ofAnyKind: [CommandGroup] = [
    CommandGroup(name: "Tables", subcommands: [RowsCommand.self])
  ]

  /// Commands that other kinds have by the same names.
  public static let variants: [CommandVariant] = [
    CommandVariant(TablesInitCommand.self, if: .options(["--describe", "--table"])),
    CommandVariant(FilesDiffCommand.self, if: .arguments(FilesDiffCommand.matches)),
    CommandVariant(
      DescriptionProjectionCommand.self, if: .arguments(DescriptionProjectionCommand.matches)),
    CommandVariant(TablesImportCommand.self, if: .kind { $0 is DescribedKind }),
    // No other kind reads databases, and without a catalog the error says which command makes one.
    CommandVariant(
      TablesImportCommand.self,
      if: .arguments { $0.contains { !$0.hasPrefix("-") && SourceFile.isDatabase($0) } }),
    CommandVariant(TablesExportCommand.self, if: .kind { $0 is DescribedKind }),
    CommandVariant(TablesLintCommand.self, if: .kind { $0 is DescribedKind }),
  ]
}
