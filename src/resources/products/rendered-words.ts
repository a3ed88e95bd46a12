/**
 * Rendered texts in fewer bytes: what they repeat stands once, in front, and what all of them have not at all. A mark is a control
 * character, which JSON has none of, with one more character behind it, which says what the mark stands for.
 */

/** Where a word has one of the text's own: the same in all of its places. */
const hole = '\0'

/** What products' texts have many times over. Of two that begin alike the longer one stands first. */
const words = [
  '{"@id":"/api/option_values/\0","@type":"OptionValue","id":"\0","externalId":null,"title":"',
  '{"@id":"/api/option_values/\0","@type":"OptionValue","id":"\0","externalId":',
  '{"@id":"/api/option_values/\0","@type":"OptionValue","option":"/api/product_options/',
  '{"@id":"/api/product_options/\0","@type":"ProductOption","id":"\0","externalId":null,"title":"',
  '{"@id":"/api/product_options/\0","@type":"ProductOption","id":"\0","externalId":',
  '{"@id":"/api/products/\0","@type":"Product","id":"\0","externalId":',
  '/variants/\0","@type":"Variant","id":"\0","externalId":',
  '"weight":null,"media":[],"fields":[],"status":"ACTIVE","archivedAt":null,"product":"/api/products/\0","title":"',
  '"media":[],"fields":[],"status":"ACTIVE","archivedAt":null,"product":"/api/products/\0","title":"',
  '","option":"/api/product_options/\0","position":',
  '","product":"/api/products/\0","position":',
  '"product":"/api/products/\0","title":"',
  ',"version":1,"createdAt":"\0","updatedAt":"\0"},',
  ',"version":1,"createdAt":"\0","updatedAt":"\0"}',
  '"version":1,"createdAt":"\0","updatedAt":"\0"},',
  '"version":1,"createdAt":"\0","updatedAt":"\0"}',
  '"createdAt":"\0","updatedAt":"\0"}',
  '","title":"',
  '{"@id":"/api/products/',
  'null,"sku":"',
  'null,"title":"',
  '","barcode":"',
  '"media":[],"seo":null,"fields":[],"archivedAt":null,"options":[',
  '"media":[],',
  '"seo":null,',
  '"fields":[],',
  '"weight":',
  '"status":"ACTIVE","archivedAt":null,',
  '"status":"ACTIVE","channels":[',
  '"status":"ACTIVE",',
  '"archivedAt":null,',
  '"optionValues":[',
  '"values":[',
  ',"variants":[',
  '],"variantsTotal":',
  ',"categories":',
  ',"collections":',
  ',"version":',
  '"}],"position":',
  '","description":"',
  '","productType":"',
  '","handle":"',
  '"vendor":"',
  '"tags":[',
  '"createdAt":"',
  '","updatedAt":"',
]

/** What the texts of another list cannot be read by. */
export const wordsSpoken = words.join(' ')

const mark = '\f'
/** Characters that JSON has as they are, and none that a word begins with, which would be found behind a mark. */
const places = [...characters(0x21, 0x7e), ...characters(0xc0, 0xff)].filter(
  (each) => each !== '"' && each !== '\\' && !words.some((word) => word.startsWith(each)),
)
/** Those behind a mark that stands for one of the words, and behind it for the own word in its holes; the others stand for own words. */
const sharedPlaces = places.slice(0, words.length)
const ownPlaces = places.slice(words.length)

function characters(first: number, last: number): string[] {
  return Array.from({ length: last - first + 1 }, (_, index) => String.fromCharCode(first + index))
}

/** By the code of the character behind a mark: the word, in the parts between its holes, or the place of the own word. */
const wordAt: (readonly string[])[] = []
for (const [index, place] of sharedPlaces.entries())
  wordAt[place.charCodeAt(0)] = (words[index] ?? '').split(hole)
const ownAt: number[] = []
for (const [index, place] of ownPlaces.entries()) ownAt[place.charCodeAt(0)] = index

/** How each word is found in a text whose own words are marked. */
const anyOwn = `[${ownPlaces.join('').replace(/[\]^-]/g, '\\$&')}]`
const patterns = words.map((word) => {
  const [first = '', ...others] = word.split(hole).map((part) => part.replace(/[[\]{}]/g, '\\$&'))
  const ofOthers = others.map((part, index) => `${index === 0 ? `${mark}(${anyOwn})` : `${mark}\\1`}${part}`)
  return new RegExp(`${first}${ofOthers.join('')}`, 'g')
})

/** Ids and moments: what one text repeats and no other has. */
const repeated = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{4}-\d\d-\d\dT[\d:.]+Z/g

/** A text of JSON in fewer bytes: a line of its own words, and one of the text. */
export function packed(text: string): string {
  const counts = new Map<string, number>()
  for (const [found] of text.matchAll(repeated)) counts.set(found, (counts.get(found) ?? 0) + 1)
  const own = [...counts].flatMap(([found, count]) => (count > 1 ? [found] : [])).slice(0, ownPlaces.length)
  const placeOf = new Map(own.map((each, index) => [each, `${mark}${ownPlaces[index]}`]))
  let short = text.replace(repeated, (found) => placeOf.get(found) ?? found)
  for (const [index, pattern] of patterns.entries()) {
    const place = `${mark}${sharedPlaces[index]}`
    const hasHoles = words[index]?.includes(hole)
    short = short.replace(pattern, (_, inHoles: string) => (hasHoles ? place + inHoles : place))
  }
  return `${own.join(',')}\n${short}`
}

/** The text that was packed. */
export function unpacked(text: string): string {
  const end = text.indexOf('\n')
  const own = text.slice(0, end).split(',')
  const ownBehind = (at: number) => own[ownAt[text.charCodeAt(at)] ?? -1] ?? ''
  let whole = ''
  let from = end + 1
  // From mark to mark: quicker than to split the text, and much quicker than to have each looked up by a function that replaces it.
  for (let at = text.indexOf(mark, from); at >= 0; at = text.indexOf(mark, from)) {
    whole += text.slice(from, at)
    from = at + 2
    const word = wordAt[text.charCodeAt(at + 1)]
    if (word === undefined) whole += ownBehind(at + 1)
    else if (word.length === 1) whole += word[0]
    else whole += word.join(ownBehind(from++))
  }
  return whole + text.slice(from)
}
