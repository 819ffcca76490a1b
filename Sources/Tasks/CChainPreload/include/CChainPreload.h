// SPDX-License-Identifier: MIT

// Nothing to import: the library starts by itself.
