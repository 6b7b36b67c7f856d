import CatalogCommands

CatalogControl.run(CommandLine.arguments.dropFirst())
