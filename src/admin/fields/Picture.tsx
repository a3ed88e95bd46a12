import { Box, type SxProps } from '@mui/material'
import { type ReactNode, useState } from 'react'
import { useRecordContext } from 'react-admin'
import { shownAs } from '../core/image-source.ts'
import { PictureLink } from '../pictures/PictureLink.tsx'

type Media = { url: string; alt?: string | null; type?: string }

/** The first picture of a product or variant, or the title's initial. */
export function Picture({ size = 44 }: { size?: number; label?: string }) {
  const record = useRecordContext()
  if (!record) return null
  const picture = (record.media as Media[] | undefined)?.find(
    ({ type }) => type === undefined || type === 'IMAGE',
  )
  const title = String(record.title ?? record.sku ?? '?')
  const hue = [...title].reduce((sum, letter) => sum + (letter.codePointAt(0) ?? 0) * 7, 0) % 360
  return (
    <Thumbnail url={picture?.url ?? null} alt={picture?.alt ?? title} sx={{ width: size, height: size }}>
      <Box
        aria-hidden
        sx={{
          width: size,
          lineHeight: `${size}px`,
          textAlign: 'center',
          fontWeight: 700,
          fontSize: size * 0.42,
          color: `hsl(${hue} 45% 32%)`,
          bgcolor: `hsl(${hue} 55% 90%)`,
        }}
      >
        {[...title][0]?.toUpperCase()}
      </Box>
    </Thumbnail>
  )
}

/** A small picture: a link if the page loads none from its host, the children if nothing can be shown. */
export function Thumbnail({
  url,
  alt,
  sx,
  children,
}: {
  url: string | null
  alt: string
  sx: { width: number; height: number }
  children: ReactNode
}) {
  const [broken, setBroken] = useState<string | null>(null)
  const frame: SxProps = {
    ...sx,
    flexShrink: 0,
    borderRadius: 1.5,
    overflow: 'hidden',
    bgcolor: 'action.hover',
  }
  const shown = url && shownAs(url)
  if (url && shown === 'link') return <PictureLink url={url} sx={frame} />
  if (!url || !shown || broken === url)
    return <Box sx={{ ...frame, display: 'grid', placeItems: 'center' }}>{children}</Box>
  return (
    <Box
      component="img"
      src={url}
      alt={alt}
      loading="lazy"
      onError={() => setBroken(url)}
      sx={{ ...frame, objectFit: 'cover', display: 'block' }}
    />
  )
}
