/**
 * Rendered texts in fewer bytes: what they repeat stands once, in front, and what all of them have not at all. Marks are control
 * characters, which JSON has none of, with one more character behind them.
 */

/** What every product's text has many times over; the order decides nothing but which is found first. */
const words = [
  '{"@id":"/api/option_values/',
  '","@type":"OptionValue","id":"',
  '","@type":"OptionValue","option":"/api/product_options/',
  '","externalId":null,"title":"',
  '","option":"/api/product_options/',
  '"}],"version":',
  '"}],"position":',
  '"},{"@id":"/api/option_values/',
  '"},{"@id":"/api/product_options/',
  '{"@id":"/api/product_options/',
  '","@type":"ProductOption","id":"',
  '"},{"@id":"/api/products/',
  '{"@id":"/api/products/',
  '","@type":"Product","id":"',
  '","@type":"Variant","id":"',
  '/variants/',
  '","product":"/api/products/',
  '","position":',
  '"weight":null,',
  '"media":[],',
  '"fields":[],',
  '"seo":null,',
  '"status":"ACTIVE","archivedAt":null,',
  '"status":"ACTIVE",',
  '"archivedAt":null,',
  '"externalId":null,',
  '"externalId":"',
  '"optionValues":[',
  '"variantsTotal":',
  '"description":"',
  '"productType":"',
  '"product":"/api/products/',
  '"createdAt":"',
  '"updatedAt":"',
  '"channels":["',
  '"options":[',
  '"variants":[',
  '"values":[',
  '"barcode":"',
  '"handle":"',
  '"vendor":"',
  '"title":"',
  '"tags":["',
  '"sku":"',
  '"position":',
  '"version":',
  '","',
  '":"',
  ',"',
]

/** What the texts of another list cannot be read by. */
export const wordsSpoken = words.join(' ')

const marks = { own: '\b', shared: '\f' }
/** The characters behind a mark: of one byte in JSON too, and none that a word begins with, which would be found there. */
const places = Array.from({ length: 94 }, (_, index) => String.fromCharCode(33 + index)).filter(
  (each) => each !== '"' && each !== '\\' && !words.some((word) => word.startsWith(each)),
)
const placeOf = new Map(places.map((each, index) => [each, index]))

/** Ids and moments: what one text repeats and no other has. */
const repeated = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{4}-\d\d-\d\dT[\d:.]+Z/g

/** A text of JSON in fewer bytes: a line of its own words, and one of the text. */
export function packed(text: string): string {
  const counts = new Map<string, number>()
  for (const [found] of text.matchAll(repeated)) counts.set(found, (counts.get(found) ?? 0) + 1)
  const own = [...counts].flatMap(([found, count]) => (count > 1 ? [found] : [])).slice(0, places.length)
  const ownPlaces = new Map(own.map((each, index) => [each, `${marks.own}${places[index]}`]))
  let short = text.replace(repeated, (found) => ownPlaces.get(found) ?? found)
  for (const [index, word] of words.entries())
    short = short.replaceAll(word, `${marks.shared}${places[index]}`)
  return `${own.join(',')}\n${short}`
}

const anyMark = /[\b\f]./g

/** The text that was packed. */
export function unpacked(text: string): string {
  const end = text.indexOf('\n')
  const own = text.slice(0, end).split(',')
  return text.slice(end + 1).replace(anyMark, (mark) => {
    const place = placeOf.get(mark.charAt(1)) ?? -1
    return (mark.startsWith(marks.own) ? own : words)[place] ?? ''
  })
}
