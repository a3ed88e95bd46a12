import OpenInNewIcon from '@mui/icons-material/OpenInNew'
import { Link, type SxProps } from '@mui/material'
import { useWords } from '../core/i18n.ts'

/** A link instead of the image, for a picture of a host from which the page loads none. */
export function PictureLink({ url, sx }: { url: string; sx: SxProps }) {
  const words = useWords('pictures')
  const name = words.elsewhere(new URL(url).host)
  return (
    <Link
      href={url}
      target="_blank"
      rel="noopener noreferrer"
      aria-label={name}
      title={name}
      // A row that opens something is not opened as well.
      onClick={(event) => event.stopPropagation()}
      sx={{ display: 'grid', placeItems: 'center', bgcolor: 'action.hover', ...sx }}
    >
      <OpenInNewIcon fontSize="small" />
    </Link>
  )
}
