import { budgets } from '../../core/budgets.ts'

/** How much of what a product owns its document embeds: the variants by number and bytes, the values of its options by bytes. */
export type Room = {
  /** Variants by number. */
  readonly embedded: number
  /** Bytes of variants, as they are stored and as they are shown. */
  readonly variants: number
  /** Bytes of the values of all options. */
  readonly values: number
  /** Bytes of the whole document. */
  readonly document: number
  /** In a list, values are not read that are not shown. */
  readonly inList: boolean
  /** Whether prices are read with the variants. */
  readonly priced: boolean
}

/** How many variants a product embeds: on an item, in a list. */
export const embeddedOnItem = 250
export const embeddedInList = 50

export const onItem: Room = {
  embedded: embeddedOnItem,
  variants: budgets.item,
  values: budgets.optionValues.item,
  document: budgets.item,
  inList: false,
  priced: false,
}

export const inList: Room = {
  ...onItem,
  embedded: embeddedInList,
  variants: budgets.variantsInList,
  values: budgets.optionValues.list,
  inList: true,
}

/** For what is read of a product beside its variants. */
export const withoutVariants: Room = { ...onItem, embedded: 0 }
