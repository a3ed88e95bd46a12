/** The documents of responses: complete, or reduced to the paths that `properties` selects. */

/** Members that a complete document has only under conditions, by its type: their descriptions in the API reference name these. */
type ConditionalMembers = {
  Product: 'priceRange' | 'breadcrumbs' | 'variantsTotal' | 'variantsView'
  ProductOption: 'values' | 'valuesTotal' | 'valuesView'
  // The values in a variant are links with a title.
  OptionValue: 'id' | 'externalId' | 'position' | 'version' | 'createdAt' | 'updatedAt'
  Variant: 'categories' | 'resolvedPrice' | 'resolvedPrices'
  Category: 'children' | 'childrens' | 'childrenTotal' | 'childrenView' | 'breadcrumbs'
  CollectionCount: 'rules'
  SaleOffer: 'warnings'
  PurchaseOffer: 'cost'
  PriceTimeline: 'currency' | 'view'
  Event: 'document' | 'actor' | 'apiVersion' | 'requestId' | 'locale'
  WebhookSubscription: 'secret'
  WebhookReplay: 'from' | 'until'
  WebhookDelivery: 'log'
}

type Conditional<T> =
  | ('@context' | 'fallbacks')
  | (T extends { '@type': infer Type extends keyof ConditionalMembers } ? ConditionalMembers[Type] : never)

/** A document without a selection. Only members that it has under conditions are optional. */
export type Complete<T> = T extends readonly (infer Element)[]
  ? Complete<Element>[]
  : T extends { '@id': string; '@type': string }
    ? { [Name in keyof T as Exclude<Name, Conditional<T>>]-?: Complete<T[Name]> } & {
        [Name in keyof T as Extract<Name, Conditional<T>>]?: Complete<T[Name]>
      }
    : T

/** The paths of a document's properties: `title`, `variants.sku`. The compiler completes three names and accepts any after these. */
export type PropertyPath<T, Depth extends unknown[] = [1, 1]> = T extends readonly (infer Element)[]
  ? PropertyPath<Element, Depth>
  : T extends object
    ? {
        [Name in keyof T & string]: Name extends `@${string}`
          ? never
          : PathFrom<Name, NonNullable<T[Name]>, Depth>
      }[keyof T & string]
    : never

type PathFrom<Name extends string, T, Depth extends unknown[]> =
  | Name
  | (Depth extends [unknown, ...infer Rest]
      ? `${Name}.${PropertyPath<T, Rest>}`
      : IsObject<T> extends true
        ? `${Name}.${string}`
        : never)

type IsObject<T> = true extends (
  T extends readonly (infer E)[]
    ? IsObject<E>
    : T extends object
      ? true
      : false
)
  ? true
  : false

/** A document reduced to paths. Each object of it keeps `@id` and `@type`. */
export type Selected<T, Path extends string> = T extends readonly (infer Element)[]
  ? Selected<Element, Path>[]
  : T extends object
    ? {
        [Name in keyof T as Name extends '@context' | '@id' | '@type' | FirstName<Path>
          ? Name
          : never]: Name extends Path | `@${string}` ? T[Name] : Selected<T[Name], After<Path, Name & string>>
      }
    : T

type FirstName<Path extends string> = Path extends `${infer Name}.${string}` ? Name : Path
type After<Path extends string, Name extends string> = Path extends `${Name}.${infer Rest}` ? Rest : never
