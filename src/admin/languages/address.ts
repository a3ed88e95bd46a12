/** Where a document is translated into a language. */
export function translationAddress(iri: string, locale: string): { pathname: string; search: string } {
  return { pathname: `/translate/${encodeURIComponent(iri)}`, search: `?into=${locale}` }
}
