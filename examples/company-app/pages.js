import { blankFileTypes } from 'fastify-onlyoffice'
import { html } from './html.js'

const RIGHTS = { none: 'no access', view: 'view', edit: 'edit' }
const HEADINGS = {
  403: 'You may not do that',
  404: 'Not found',
  409: 'That is not possible now',
  413: 'This file is too large',
  429: 'Too many attempts'
}

export const loginPage = ({ hasFailed }) => page('Log in', html`<main class="login">
  <p class="brand">Documents</p>
  <form class="card form" method="post" action="/login">
    <h1>Log in</h1>
    ${hasFailed && html`<p class="alert" role="alert">Login or password is wrong.</p>`}
    <label class="field">Login <input name="login" required autofocus autocomplete="username"></label>
    <label class="field">Password <input name="password" type="password" required autocomplete="current-password"></label>
    <button class="button">Log in</button>
  </form></main>`)

export function listPage ({ user, folder, folders, documents, templates }) {
  const here = html`<input type="hidden" name="folder" value="${folder?.id}">`
  return page(folder?.name ?? 'Documents', html`${bar(user)}<main>
    <div class="head">
      <h1>${folder?.name ?? 'Documents'}</h1>
      <div class="buttons">
        <button class="button" type="button" popovertarget="new">New document</button>
        <button class="button quiet" type="button" popovertarget="upload">Upload</button>
        <button class="button quiet" type="button" popovertarget="new-folder">New folder</button>
      </div>
    </div>
    <ul class="list">
      ${folder && html`<li>${folderIcon}<p class="name"><a href="${placeOf(folder.parent)}">Up</a></p></li>`}
      ${folders.map(({ id, name }) => html`<li>${folderIcon}<p class="name"><a href="/folders/${id}">${name}</a></p>
        <div class="actions">${confirmed({
          id: `delete-${id}`,
          label: 'Delete',
          what: name,
          text: 'Only an empty folder can be deleted.',
          action: `/folders/${id}/delete`
        })}</div></li>`)}
      ${documents.map(document => documentRow(document, user))}
    </ul>
    ${documents.length === 0 && html`<p class="empty">There are no documents here yet.</p>`}
    ${dialog('new', 'New document', html`<form class="form" method="post" action="/documents">${here}
      <label class="field">Name <input name="name" required autofocus></label>
      <label class="field">Kind <select name="from">
        <optgroup label="Empty">${blankFileTypes.map(format => html`<option>${format}</option>`)}</optgroup>
        ${templates.length > 0 && html`<optgroup label="From a template">
          ${templates.map(({ id, title }) => html`<option value="${id}">${title}</option>`)}</optgroup>`}
      </select></label>
      ${buttons('new', html`<button class="button">Create</button>`)}</form>`)}
    ${dialog('upload', 'Upload', html`<form class="form" method="post" action="/uploads?folder=${folder?.id}" enctype="multipart/form-data">
      <label class="field">File <input type="file" name="file" required autofocus></label>
      ${buttons('upload', html`<button class="button">Upload</button>`)}</form>`)}
    ${dialog('new-folder', 'New folder', html`<form class="form" method="post" action="/folders">${here}
      <label class="field">Name <input name="name" required autofocus></label>
      ${buttons('new-folder', html`<button class="button">Add</button>`)}</form>`)}
  </main>`)
}

const folderIcon = html`<span class="icon folder" aria-hidden="true"></span>`

function documentRow ({ id, title, extension, mode, isTemplate, owner, ownerName }, user) {
  const isOwn = owner === user.id
  return html`<li><span class="icon" data-type="${extension}" aria-hidden="true">${extension}</span>
    <p class="name"><a href="/documents/${id}">${title}</a>
      <small>${isOwn ? isTemplate && 'Template' : `Shared by ${ownerName}, to ${mode}`}</small></p>
    <div class="actions"><a class="action" href="/documents/${id}/download" aria-label="Download ${title}">Download</a>
      ${isOwn && html`<a class="action" href="/documents/${id}/settings" aria-label="Settings of ${title}">Settings</a>`}</div></li>`
}

export const editorPage = ({ user, document, fragment }) => page(document.title, html`<header class="bar">
  <a class="brand" href="${placeOf(document.owner === user.id && document.folder)}" data-onlyoffice-close>Documents</a>
  <h1>${document.title}</h1>
  ${document.owner === user.id && html`<a class="action end" href="/documents/${document.id}/settings" data-onlyoffice-close>Settings</a>`}</header>
  <main>${{ html: fragment }}</main>`)

export const settingsPage = ({ user, document: { id, name, title, folder, owner, isTemplate }, folders, users, rights }) => page(title, html`
  ${bar(user)}<main class="narrow">
  <div class="head"><h1>${title}</h1><a class="button quiet" href="/documents/${id}">Open</a></div>
  <form class="card form" method="post" action="/documents/${id}/settings">
    <label class="field">Name <input name="name" value="${name}" required></label>
    <label class="field">Folder <select name="folder"><option value="">Documents</option>
      ${folders.map(each => html`<option value="${each.id}" ${each.id === folder && 'selected'}>${each.name}</option>`)}</select></label>
    <label class="check"><input type="checkbox" name="isTemplate" ${isTemplate && 'checked'}> Offer as a template</label>
    <button class="button">Save</button></form>
  <h2>Sharing</h2>
  <ul class="list">${users.filter(each => each.id !== owner && !each.isDisabled).map(each => html`<li>
    <p class="name"><span>${each.name}</span></p>
    <form method="post" action="/documents/${id}/shares"><input type="hidden" name="user" value="${each.id}">
      <select name="mode" aria-label="What ${each.name} may do">${Object.entries(RIGHTS).map(([mode, label]) => html`<option value="${mode}" ${
        mode === (rights.find(({ userId }) => userId === each.id)?.mode ?? 'none') && 'selected'}>${label}</option>`)}</select>
      <button class="button quiet">Share</button></form></li>`)}</ul>
  ${users.length === 1 && html`<p class="empty">There is nobody else yet.</p>`}
  <h2>Delete this document</h2>
  ${confirmed({
    id: 'delete',
    label: 'Delete',
    what: title,
    text: 'Everybody it is shared with loses it, too. Editors that have it open are closed.',
    action: `/documents/${id}/delete`,
    className: 'button quiet'
  })}</main>`)

export const accountPage = ({ user }) => page('Account', html`${bar(user)}<main class="narrow">
  <div class="head"><h1>${user.name}</h1></div>
  <form class="card form" method="post" action="/account">
    <h2>Change the password</h2>
    <input type="hidden" name="username" value="${user.login}" autocomplete="username">
    <label class="field">Current password <input name="current" type="password" required autocomplete="current-password"></label>
    <label class="field">New password <input name="password" type="password" minlength="12" required autocomplete="new-password"></label>
    <button class="button">Change, and log out everywhere</button></form></main>`)

export const adminPage = ({ user, users, sessions, doctorPath }) => page('Administration', html`${bar(user)}<main class="narrow">
  <div class="head"><h1>Administration</h1><a class="button quiet" href="${doctorPath}">Ask the doctor</a></div>
  <h2>Edited now</h2>
  <ul class="list">${sessions.map(({ fileId, title, names }) => html`<li><p class="name"><span>${title}</span> <small>${names}</small></p>
    <form method="post" action="/admin/sessions/${encodeURIComponent(fileId)}/close"><button class="action">Close the editors</button></form></li>`)}</ul>
  ${sessions.length === 0 && html`<p class="empty">Nobody edits a document.</p>`}
  <h2>Users</h2>
  <ul class="list">${users.map(({ id, name, login, isDisabled }) => html`<li><p class="name"><span>${name}</span> <small>${login}${isDisabled && ', disabled'}</small></p>
    ${!isDisabled && id !== user.id && html`<div class="actions">${confirmed({
      id: `disable-${id}`,
      label: 'Disable',
      what: name,
      text: 'The user is logged out at once and cannot log in again. The documents stay.',
      action: `/admin/users/${id}/disable`
    })}</div>`}</li>`)}</ul>
  <h2>Add a user</h2>
  <form class="card form" method="post" action="/admin/users">
    <label class="field">Login <input name="login" required></label>
    <label class="field">Name <input name="name" required></label>
    <label class="field">Password <input name="password" type="password" minlength="12" required autocomplete="new-password"></label>
    <button class="button">Add user</button></form></main>`)

export const errorPage = ({ user, status, message }) => {
  const heading = HEADINGS[status] ?? (status < 500 ? 'That did not work' : 'Something went wrong')
  return page(heading, html`${user && bar(user)}<main class="notice">
    <h1>${heading}</h1><p role="alert">${message}</p><p><small>Error ${status}</small></p>
    <a class="button" href="/">Back to the documents</a></main>`)
}

export function send (reply, page) {
  return reply.type('text/html').header('cache-control', 'no-store').send(page)
}

export function placeOf (folder) {
  return folder ? `/folders/${folder}` : '/'
}

// A popover is a dialog that needs no script.
const dialog = (id, title, content) => html`<div class="dialog" id="${id}" popover role="dialog" aria-labelledby="${id}-title">
  <h2 id="${id}-title">${title}</h2>${content}</div>`

const buttons = (id, button) => html`<div class="buttons">
  <button class="button quiet" type="button" popovertarget="${id}" popovertargetaction="hide">Cancel</button>${button}</div>`

// A button that asks before it does something.
const confirmed = ({ id, label, what, text, action, className = 'action' }) => html`
  <button class="${className} danger" type="button" popovertarget="${id}" aria-label="${label} ${what}">${label}</button>
  ${dialog(id, `${label} “${what}”?`, html`<form class="form" method="post" action="${action}"><p>${text}</p>
    ${buttons(id, html`<button class="button danger">${label}</button>`)}</form>`)}`

const bar = ({ name, isAdmin }) => html`<header class="bar"><a class="brand" href="/">Documents</a>
  ${isAdmin && html`<a class="action" href="/admin">Administration</a>`}
  <a class="action user end" href="/account">${name}</a>
  <form method="post" action="/logout"><button class="action">Log out</button></form></header>`

function page (title, content) {
  return html`<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
    <meta name="color-scheme" content="light dark"><title>${title}</title>
    <link rel="icon" href="data:,"><link rel="stylesheet" href="/style.css"></head><body>${content}</body></html>`.html
}
