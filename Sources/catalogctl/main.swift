import CatalogCommands

await CatalogControl.run(CommandLine.arguments.dropFirst())
