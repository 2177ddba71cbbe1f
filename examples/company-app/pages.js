import { blankFileTypes } from 'fastify-onlyoffice'
import { html } from './html.js'

export const loginPage = ({ hasFailed }) => page('Log in', html`<main><h1>Log in</h1>
  ${hasFailed && html`<p role="alert">Login or password is wrong.</p>`}
  <form method="post" action="/login" class="column">
    <label>Login <input name="login" required autofocus autocomplete="username"></label>
    <label>Password <input name="password" type="password" required autocomplete="current-password"></label>
    <button>Log in</button>
  </form></main>`)

export function listPage ({ user, folder, folders, documents, templates }) {
  const here = html`<input type="hidden" name="folder" value="${folder?.id}">`
  return page(folder?.name ?? 'Documents', html`${bar(user)}<main>
    <h1>${folder?.name ?? 'Documents'}</h1>
    <ul class="list">
      ${folder && html`<li><a href="${folder.parent ? `/folders/${folder.parent}` : '/'}">Up</a></li>`}
      ${folders.map(({ id, name }) => html`<li><a href="/folders/${id}">${name}/</a>
        <form method="post" action="/folders/${id}/delete"><button>Delete</button></form></li>`)}
      ${documents.map(({ id, title, mode, isTemplate, owner, ownerName }) => html`<li><a href="/documents/${id}">${title}</a>
        <small>${owner === user.id ? isTemplate && 'template' : `${ownerName}, to ${mode}`}</small>
        <a href="/documents/${id}/download">Download</a>
        ${owner === user.id && html`<a href="/documents/${id}/settings" aria-label="Settings of ${title}">Settings</a>`}</li>`)}
    </ul>
    ${documents.length === 0 && html`<p>There are no documents here yet.</p>`}
    <form method="post" action="/documents">${here}
      <label>New document <input name="name" required></label>
      <select name="from" aria-label="Kind">
        ${blankFileTypes.map(format => html`<option>${format}</option>`)}
        ${templates.map(({ id, title }) => html`<option value="${id}">like ${title}</option>`)}
      </select> <button>Create</button></form>
    <form method="post" action="/uploads?folder=${folder?.id}" enctype="multipart/form-data">
      <label>File <input type="file" name="file" required></label> <button>Upload</button></form>
    <form method="post" action="/folders">${here}<label>New folder <input name="name" required></label> <button>Add</button></form>
  </main>`)
}

export const editorPage = ({ user, document, fragment }) => page(document.title, html`
  <header><a href="${document.owner === user.id && document.folder ? `/folders/${document.folder}` : '/'}" data-onlyoffice-close>Documents</a>
    <b>${document.title}</b>${document.owner === user.id && html`<a href="/documents/${document.id}/settings" data-onlyoffice-close>Settings</a>`}</header>
  ${{ html: fragment }}`)

export const settingsPage = ({ user, document, folders, users, rights }) => page(document.title, html`${bar(user)}<main>
  <h1>${document.title}</h1><p><a href="/documents/${document.id}">Open</a></p>
  <form method="post" action="/documents/${document.id}/settings" class="column">
    <label>Name <input name="name" value="${document.name}" required></label>
    <label>Folder <select name="folder"><option value="">Documents</option>
      ${folders.map(({ id, name }) => html`<option value="${id}" ${id === document.folder && 'selected'}>${name}</option>`)}</select></label>
    <label><input type="checkbox" name="isTemplate" ${document.isTemplate && 'checked'}> Offer as a template</label>
    <button>Save</button></form>
  <h2>Sharing</h2>
  <ul class="list">${users.filter(({ id, isDisabled }) => id !== document.owner && !isDisabled).map(({ id, name }) => html`<li>${name}
    <form method="post" action="/documents/${document.id}/shares"><input type="hidden" name="user" value="${id}">
      <select name="mode" aria-label="What ${name} may do">${['none', 'view', 'edit'].map(mode => html`<option ${
        mode === (rights.find(({ userId }) => userId === id)?.mode ?? 'none') && 'selected'}>${mode}</option>`)}</select>
      <button>Share</button></form></li>`)}</ul>
  <form method="post" action="/documents/${document.id}/delete"><button>Delete this document</button></form></main>`)

export const accountPage = ({ user }) => page('Account', html`${bar(user)}<main><h1>${user.name}</h1>
  <form method="post" action="/account" class="column">
    <input type="hidden" name="username" value="${user.login}" autocomplete="username">
    <label>Current password <input name="current" type="password" required autocomplete="current-password"></label>
    <label>New password <input name="password" type="password" minlength="12" required autocomplete="new-password"></label>
    <button>Change, and log out everywhere</button></form></main>`)

export const adminPage = ({ user, users, sessions, doctorPath }) => page('Administration', html`${bar(user)}<main>
  <h1>Administration</h1><p><a href="${doctorPath}">What the doctor finds</a></p>
  <h2>Edited now</h2>
  <ul class="list">${sessions.map(({ fileId, title, names }) => html`<li>${title} <small>${names}</small>
    <form method="post" action="/admin/sessions/${encodeURIComponent(fileId)}/close"><button>Close the editors</button></form></li>`)}</ul>
  ${sessions.length === 0 && html`<p>Nobody edits a document.</p>`}
  <h2>Users</h2>
  <ul class="list">${users.map(({ id, name, login, isDisabled }) => html`<li>${name} <small>${login}${isDisabled && ', disabled'}</small>
    ${!isDisabled && id !== user.id && html`<form method="post" action="/admin/users/${id}/disable"><button>Disable</button></form>`}</li>`)}</ul>
  <form method="post" action="/admin/users" class="column">
    <label>Login <input name="login" required></label> <label>Name <input name="name" required></label>
    <label>Password <input name="password" type="password" minlength="12" required autocomplete="new-password"></label>
    <button>Add user</button></form></main>`)

export const errorPage = ({ message }) => page('Error', html`<main><h1>That did not work</h1>
  <p role="alert">${message}</p><p><a href="/">Documents</a></p></main>`)

export function send (reply, page) {
  return reply.type('text/html').header('cache-control', 'no-store').send(page)
}

const bar = ({ name, isAdmin }) => html`<header><a href="/">Documents</a> ${isAdmin && html`<a href="/admin">Administration</a>`}
  <a href="/account">${name}</a><form method="post" action="/logout"><button>Log out</button></form></header>`

function page (title, content) {
  return html`<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title>
    <link rel="icon" href="data:,"><link rel="stylesheet" href="/style.css">${content}`.html
}
