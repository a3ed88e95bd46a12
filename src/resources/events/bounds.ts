/**
 * How much is read of events. Sizes of what is kept decide, in Postgres, which tells them without reading the texts. They are
 * sizes of rows that never change, so an event is shown alike each time, whatever else is read with it.
 */
import { budgets } from '../../core/budgets.ts'

/** Bytes, of what is kept, that are read; together a batch of them is within what the database answers. */
export const bounds = {
  /** An event's own document. Rows are smaller; some are older than their budget. */
  own: 4_000_000,
  /** The categories that a variant's event shows: beyond, no more of them than which ones they are. */
  categories: 1_000_000,
  /** Own documents and changes of all events that are read at once; the first is read whatever it is. */
  page: 4_000_000,
  /** Changes of all events of a page that shows no documents; the first is read whatever it is. */
  changes: 8_000_000,
  /** What the products of these events embedded, when it is read at once with them; else in a second trip, … */
  statesAtOnce: 3_000_000,
  /** … of so much at most, but for one event. */
  states: 5_000_000,
  /** The option values of one event. */
  values: 3_000_000,
  /** The variants of one event: as many of the first as that. */
  variants: budgets.event,
  /** What telling a move or an owned event takes. */
  row: 200,
  /** Moves of a product's variants from which their order is told; a product with more shows none, but how many there are. */
  moves: 20_000,
  /** What is shown of an event beside its document and its changes, and the longer names of older versions. */
  envelope: 4_000,
} as const
