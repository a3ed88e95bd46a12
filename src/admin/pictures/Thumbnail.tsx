import BrokenImageIcon from '@mui/icons-material/BrokenImage'
import { Box } from '@mui/material'
import { useState } from 'react'

/** A small picture beside the field that says what it shows; a sign where there is none, or it cannot be loaded. */
export function Thumbnail({ url }: { url: string | null }) {
  const [broken, setBroken] = useState<string | null>(null)
  const frame = { width: 72, height: 72, flexShrink: 0, borderRadius: 1.5, bgcolor: 'action.hover' }
  if (!url || broken === url) {
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
