import { catalogue } from './settings.ts'

/** How the page shows a picture: as an image if its policy allows the host, else as a link. Null if the text is no web address. */
export function shownAs(address: string): 'image' | 'link' | null {
  const url = URL.parse(address, location.origin)
  if (!url || !/^https?:$/.test(url.protocol)) return null
  return url.origin === location.origin || catalogue().imageSources.includes(url.origin) ? 'image' : 'link'
}
