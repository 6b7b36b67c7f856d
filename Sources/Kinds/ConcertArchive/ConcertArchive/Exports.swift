// Who uses an archive has what its rows and its errors are made of.
@_exported public import CatalogEngine
