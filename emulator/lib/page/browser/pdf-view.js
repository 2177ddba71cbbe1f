/**
 * Shows a PDF with the browser's own viewer. Browsers without one offer a download.
 *
 * @param {HTMLElement} container
 * @param {string} path of the PDF at the document server
 * @param {string} title
 */
export function pdfView (container, path, title) {
  if (container.querySelector('.pdf') !== null) return // after a reconnect it is unchanged
  const url = new URL(`../../../..${path}`, location.href).href
  container.replaceChildren(navigator.pdfViewerEnabled ? frame(url, title) : link(url, title))
}

/** @param {string} url @param {string} title */
function frame (url, title) {
  const viewer = document.createElement('iframe')
  viewer.className = 'pdf'
  viewer.title = title
  viewer.src = url
  return viewer
}

/** @param {string} url @param {string} title */
function link (url, title) {
  const text = document.createElement('p')
  text.textContent = 'This browser cannot show PDF files in a page.'
  const download = document.createElement('a')
  download.href = url
  download.download = title
  download.textContent = `Download ${title}`
  const box = document.createElement('div')
  box.className = 'pdf nothing'
  box.append(text, download)
  return box
}
