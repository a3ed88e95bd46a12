import { Box, Button, Chip, List, ListItem, ListItemText } from '@mui/material'
import { useQuery } from '@tanstack/react-query'
import { Link, useRecordContext } from 'react-admin'
import { useWords } from '../core/i18n.ts'
import { catalogue } from '../core/settings.ts'
import { Section } from '../layout/Section.tsx'
import { useLanguageNames } from './names.ts'
import { missingIn, resourceOf, storedTexts, translationAddress } from './texts.ts'

/** In which languages a document lacks texts that it has in another, and the way to translate them. */
export function Languages() {
  const record = useRecordContext()
  const words = useWords('languages')
  if (!record) return null
  return (
    <Section title={words.languages} open={false} lazy>
      <Each iri={String(record.id)} />
    </Section>
  )
}

function Each({ iri }: { iri: string }) {
  const words = useWords('languages')
  const nameOf = useLanguageNames()
  const { data } = useQuery({
    queryKey: [resourceOf(iri), 'texts', iri],
    queryFn: () => storedTexts(iri),
    staleTime: 0,
  })
  const { locales } = catalogue()
  if (locales.length === 1) return <Box>{words.oneLanguage}</Box>
  return (
    <List disablePadding>
      {locales.map((locale) => {
        const missing = data ? missingIn(resourceOf(iri), data.translations, locale) : null
        return (
          <ListItem key={locale} disableGutters divider sx={{ gap: 1, flexWrap: 'wrap' }}>
            <ListItemText primary={nameOf(locale)} sx={{ minWidth: 140 }} />
            {missing !== null && (
              <Chip
                size="small"
                variant="outlined"
                color={missing > 0 ? 'warning' : 'success'}
                label={missing > 0 ? words.missingTexts(missing) : words.complete}
              />
            )}
            <Button
              component={Link}
              to={translationAddress(iri, locale)}
              size="small"
              aria-label={words.translateInto(nameOf(locale))}
            >
              {words.translate}
            </Button>
          </ListItem>
        )
      })}
    </List>
  )
}
