// SPDX-License-Identifier: MIT

/// The first part of the page's script. Texts reach the page as text nodes only, never as markup.
let pageScript = #"""
    'use strict'
    const data = JSON.parse(document.getElementById('data').textContent)
    const [view, space, axis, detail, filter, count] =
      ['view', 'space', 'axis', 'detail', 'filter', 'count'].map(id => document.getElementById(id))
    const nodes = data.nodes, rowHeight = 22, headHeight = 22
    const folded = new Set()
    let tab = 'Tree', shown = [], chosen = nodes.length ? 0 : -1, matches = null, sort = { key: 'total', down: true }

    nodes.forEach((node, index) => {
      node.index = index
      node.name = (node.kind + (node.named ? ' ' : ' at ') + node.label)
      node.words = ['#' + node.id, node.name, node.word, node.site, node.file, node.function, node.thread, node.executor, node.summary,
        node.by, ...node.marks].filter(Boolean).join('\n').toLowerCase()
    })
    // The end of what is under each node: the next row that is not deeper and begins no continuation of it.
    nodes.forEach((node, index) => {
      let end = index + 1
      while (end < nodes.length && !nodes[end].root && (node.root || nodes[end].depth > node.depth)) end++
      node.end = end
    })
    const lastTime = nodes.reduce((time, node) => Math.max(time, node.to, node.ended ?? 0), 1)

    function element(tag, className, text, parent) {
      const made = document.createElement(tag)
      if (className) made.className = className
      if (text !== undefined && text !== null) made.textContent = visible(text)
      if (parent) parent.append(made)
      return made
    }

    // Control and bidirectional characters as pictures, so that a text stays in its place.
    function visible(text) {
      return String(text)
        .replace(/[\u0000-\u001f]/g, sign => String.fromCharCode(0x2400 + sign.charCodeAt(0)))
        .replace(/[\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g, '\ufffd')
    }

    function duration(time) {
      if (time === null || time === undefined) return ''
      if (time < 1e7) return (time / 1e6).toFixed(1) + 'ms'
      if (time < 1e9) return Math.floor(time / 1e6) + 'ms'
      return (time / 1e9).toFixed(time < 1e10 ? 2 : 1) + 's'
    }

    // MARK: Filter

    function test(text) {
      const terms = text.toLowerCase().split(/\s+/).filter(Boolean).map(word => {
        const not = word.length > 1 && word[0] === '-'
        return { not, word: not ? word.slice(1) : word }
      })
      return node => terms.every(term => {
        const [key, ...parts] = term.word.split(':')
        const value = parts.length ? parts.join(':') : undefined
        const found = value !== undefined && ['state', 'kind', 'thread', 'site'].includes(key)
          ? String(key === 'state' ? node.state : node[key] ?? '').toLowerCase().includes(value)
          : term.word === 'live' ? node.live : node.words.includes(term.word)
        return found !== term.not
      })
    }

    function applyFilter() {
      const text = filter.value.trim(), isMatch = test(text)
      matches = null
      if (text) {
        matches = new Map()
        const path = []
        nodes.forEach((node, index) => {
          while (path.length && nodes[path[path.length - 1]].end <= index) path.pop()
          path.push(index)
          if (!isMatch(node)) return
          for (const above of path) if (!matches.has(above)) matches.set(above, false)
          matches.set(index, true)
        })
      }
      render()
    }

    function updateRows() {
      shown = []
      for (let index = 0; index < nodes.length; index++) {
        if (matches && !matches.has(index)) continue
        shown.push(index)
        if (!matches && folded.has(index)) index = nodes[index].end - 1
      }
      if (!shown.includes(chosen)) chosen = shown.find(index => !matches || matches.get(index)) ?? -1
      const total = matches ? [...matches.values()].filter(Boolean).length : nodes.length
      count.textContent = total + (matches ? ' of ' + nodes.length : '') + ' nodes'
    }

    // MARK: Rows

    function drawRow(position) {
      const node = nodes[shown[position]]
      const row = element('div', 'row' + (node.index === chosen ? ' chosen' : ''))
      if (matches && !matches.get(node.index)) row.classList.add('context')
      row.style.top = (headHeight + position * rowHeight) + 'px'
      row.dataset.index = node.index
      const name = element('span', 'name', undefined, row)
      name.style.paddingLeft = Math.min(node.depth, 30) * 14 + 'px'
      const sign = node.end > node.index + 1 ? (folded.has(node.index) && !matches ? '▸' : '▾') : ''
      element('span', 'fold', sign, name)
      element('span', node.state, '● ', name)
      element('span', 'kind', node.kind + (node.named ? ' ' : ' at '), name)
      element('span', '', node.label, name)
      if (node.summary) element('span', 'dim', (node.state === 'fulfilled' ? '  = ' : '  ! ') + node.summary, name)
      if (tab === 'Timeline') {
        const plot = element('span', 'plot ' + node.state, undefined, row)
        bar(plot, 'life', node.from, node.to)
        bar(plot, 'run', node.started, node.ended)
      } else {
        element('span', 'state ' + node.state, node.word, row)
        element('span', 'number', duration(node.total), row)
        element('span', 'thread', node.thread ?? '', row)
        element('span', 'site', node.site ?? '', row)
      }
      return row
    }

    function bar(plot, name, from, to) {
      if (from === null || to === null) return
      const piece = element('i', name, undefined, plot)
      piece.style.left = from / lastTime * 100 + '%'
      piece.style.width = Math.max(0, to - from) / lastTime * 100 + '%'
    }

    function drawRows() {
      const first = Math.max(0, Math.floor(view.scrollTop / rowHeight) - 10)
      const last = Math.min(shown.length, first + Math.ceil(view.clientHeight / rowHeight) + 20)
      space.style.height = (shown.length * rowHeight) + 'px'
      const rows = []
      for (let position = first; position < last; position++) rows.push(drawRow(position))
      space.replaceChildren(...rows)
    }

    function drawAxis() {
      axis.replaceChildren()
      const line = element('div', 'row', undefined, axis)
      element('span', 'name', tab === 'Timeline' ? 'node' : '    node', line)
      if (tab === 'Timeline') {
        const plot = element('span', 'plot', undefined, line)
        for (let step = 0; step < 5; step++)
          element('span', 'dim', duration(lastTime * step / 5), plot).style.left = step * 20 + '%'
      } else {
        for (const [name, text] of [['state', 'state'], ['number', 'total'], ['thread', 'thread'], ['site', 'site']])
          element('span', name, text, line)
      }
    }
    """#
