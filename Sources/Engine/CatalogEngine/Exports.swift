// Who writes a kind of catalog imports this module, and has what its events, tables and rows are made of. So do
// the errors of its calls, each of which a catch can name.
@_exported public import CatalogModel
@_exported public import Projections
@_exported public import Support

@_exported public import struct CatalogStore.CatalogObservation
@_exported public import class CatalogStore.ProvedRows
@_exported public import struct CatalogStore.StoreError
@_exported public import protocol EventLog.BatchStore
@_exported public import struct EventLog.EventLogError
@_exported public import enum EventLog.LogDurability
@_exported public import struct EventLog.StoreRefusal
@_exported public import struct EventLog.StoredBatch
