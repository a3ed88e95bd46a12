import { Box } from '@mui/material'
import { useState } from 'react'
import { useRecordContext } from 'react-admin'
import { shownAs } from '../core/image-source.ts'
import { PictureLink } from '../pictures/PictureLink.tsx'

type Media = { url: string; alt?: string | null; type?: string }

/** The first picture of a product or variant: a link if the page loads none from its host, the title's initial if nothing can be shown. */
export function Picture({ size = 44 }: { size?: number; label?: string }) {
  const record = useRecordContext()
  const [broken, setBroken] = useState<string | null>(null)
  if (!record) return null
  const picture = (record.media as Media[] | undefined)?.find(
    ({ type }) => type === undefined || type === 'IMAGE',
  )
  const title = String(record.title ?? record.sku ?? '?')
  const frame = { width: size, height: size, borderRadius: 1.5, flexShrink: 0 }
  const shown = picture && shownAs(picture.url)
  if (picture && shown === 'link') return <PictureLink url={picture.url} sx={frame} />
  if (picture && shown === 'image' && broken !== picture.url) {
    return (
      <Box
        component="img"
        src={picture.url}
        alt={picture.alt ?? title}
        loading="lazy"
        onError={() => setBroken(picture.url)}
        sx={{ ...frame, objectFit: 'cover', display: 'block', bgcolor: 'action.hover' }}
      />
    )
  }
  const hue = [...title].reduce((sum, letter) => sum + (letter.codePointAt(0) ?? 0) * 7, 0) % 360
  return (
    <Box
      aria-hidden
      sx={{
        ...frame,
        display: 'grid',
        placeItems: 'center',
        fontWeight: 700,
        fontSize: size * 0.42,
        color: `hsl(${hue} 45% 32%)`,
        bgcolor: `hsl(${hue} 55% 90%)`,
      }}
    >
      {[...title][0]?.toUpperCase()}
    </Box>
  )
}
