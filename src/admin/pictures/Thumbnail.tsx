import BrokenImageIcon from '@mui/icons-material/BrokenImage'
import { Box } from '@mui/material'
import { useState } from 'react'
import { shownAs } from '../core/image-source.ts'
import { PictureLink } from './PictureLink.tsx'

/** The small picture next to its description: a link if the page loads none from its host, a sign if it cannot be loaded. */
export function Thumbnail({ url }: { url: string | null }) {
  const [broken, setBroken] = useState<string | null>(null)
  const frame = { width: 72, height: 72, flexShrink: 0, borderRadius: 1.5, bgcolor: 'action.hover' }
  const shown = url && shownAs(url)
  if (url && shown === 'link') return <PictureLink url={url} sx={frame} />
  if (!url || shown === null || broken === url) {
    return (
      <Box sx={{ ...frame, display: 'grid', placeItems: 'center' }}>
        <BrokenImageIcon color="disabled" />
      </Box>
    )
  }
  return (
    <Box
      component="img"
      src={url}
      alt=""
      loading="lazy"
      onError={() => setBroken(url)}
      sx={{ ...frame, objectFit: 'cover' }}
    />
  )
}
