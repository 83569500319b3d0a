/* Plays a run that `boscage viewer` recorded. The page holds the run: its numbers as JSON, and its arrays,
 * little-endian, as base64. Nothing else is loaded. The part behind # sets the view: frame=30,
 * view=LATITUDE,LONGITUDE,ALTITUDE,HEADING,PITCH (degrees, metres), follow, pause; still: pause, without controls. */
"use strict";

/* ---- the run ---- */

const run = JSON.parse(document.getElementById("run").textContent);
const text = atob(document.getElementById("data").textContent.trim()), bytes = new Uint8Array(text.length);
for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i); /* Uint8Array.from would list them first */
const radius = run.radius;

/* An array of the run: {offset, count} in elements of its type. */
const floats = (a) => new Float32Array(bytes.buffer, a.offset, a.count);
const words = (a) => new Uint32Array(bytes.buffer, a.offset, a.count);

const frames = run.frames.map((f) => ({
  ...f,
  vertex: floats(f.vertex), triangle: words(f.triangle), position: floats(f.position),
  contact: words(f.contact), age: words(f.age), edge: words(f.edge), routes: f.routes.map(words),
}));

/* ---- vectors and matrices, by columns ---- */

const add = (a, b, s) => [a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const length = (a) => Math.hypot(a[0], a[1], a[2]);
const unit = (a) => { const l = length(a) || 1; return [a[0] / l, a[1] / l, a[2] / l]; };
const mix = (a, b, t) => a.map((x, i) => x + t * (b[i] - x));
const clamp = (x, low, high) => Math.min(Math.max(x, low), high);
const degree = Math.PI / 180;

function multiply(a, b) {
  const c = new Float32Array(16);
  for (let i = 0; i < 4; i++)
    for (let j = 0; j < 4; j++)
      for (let k = 0; k < 4; k++) c[4 * j + i] += a[4 * k + i] * b[4 * j + k];
  return c;
}

/* The projection of a camera {eye, direction, up, fov}, relative to its eye. */
function projectionOf(camera, aspect, near, far) {
  const z = unit(camera.direction).map((x) => -x), x = unit(cross(camera.up, z)), y = cross(z, x);
  const view = [x[0], y[0], z[0], 0, x[1], y[1], z[1], 0, x[2], y[2], z[2], 0,
    -dot(x, camera.eye), -dot(y, camera.eye), -dot(z, camera.eye), 1];
  const g = 1 / Math.tan(camera.fov / 2), d = near - far;
  return multiply([g / aspect, 0, 0, 0, 0, g, 0, 0, 0, 0, (near + far) / d, -1, 0, 0, 2 * near * far / d, 0], view);
}

function slerp(a, b, t) {
  let c = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
  const s = c < 0 ? -1 : 1, angle = Math.acos(clamp(c * s, -1, 1));
  if (angle < 1e-6) return b;
  return a.map((x, i) => (x * Math.sin((1 - t) * angle) + s * b[i] * Math.sin(t * angle)) / Math.sin(angle));
}

/* ---- the camera ---- */

/* Latitude, longitude, heading and pitch in degrees; altitude in metres above the radius. The first view is beside the
 * recorded camera, from farther away. */
const half = unit(frames[frames.length >> 1].camera);
const start = { latitude: Math.asin(half[2]) / degree - 14, longitude: Math.atan2(half[1], half[0]) / degree - 4,
  altitude: 1.15 * radius, heading: 12, pitch: -76 };
let own = { ...start }, following = false;

function cameraOf(v) {
  const la = v.latitude * degree, lo = v.longitude * degree;
  const out = [Math.cos(la) * Math.cos(lo), Math.cos(la) * Math.sin(lo), Math.sin(la)];
  const east = [-Math.sin(lo), Math.cos(lo), 0], north = cross(out, east);
  const h = v.heading * degree, p = v.pitch * degree;
  const ahead = add(north.map((x) => x * Math.cos(h)), east, Math.sin(h));
  return { eye: out.map((x) => x * (radius + v.altitude)), fov: 0.8,
    direction: add(ahead.map((x) => x * Math.cos(p)), out, Math.sin(p)),
    up: add(ahead.map((x) => -x * Math.sin(p)), out, Math.cos(p)) };
}

/* Moves over the ground by screen heights to the right and ahead. */
function moveOver(right, ahead) {
  const step = clamp(own.altitude / radius, 0.01, 1.2) * 45, h = own.heading * degree;
  own.latitude = clamp(own.latitude + step * (ahead * Math.cos(h) - right * Math.sin(h)), -89.5, 89.5);
  own.longitude += step * (ahead * Math.sin(h) + right * Math.cos(h)) / Math.max(Math.cos(own.latitude * degree), 0.05);
  own.longitude -= 360 * Math.round(own.longitude / 360);
}
function turn(right, up) {
  own.heading += 60 * right;
  own.pitch = clamp(own.pitch + 60 * up, -90, 60);
}
function changeAltitude(factor) { own.altitude = clamp(own.altitude * factor, 0.01 * radius, 8 * radius); }

/* ---- WebGL ---- */

const canvas = document.getElementById("view");
const gl = canvas.getContext("webgl2", { antialias: true, preserveDrawingBuffer: true });
function fail(text) {
  const message = document.getElementById("message");
  message.textContent = text;
  message.style.display = "block";
  throw new Error(text);
}
if (!gl) fail("This page needs WebGL 2, which this browser does not provide.");

function makeProgram(vertex, fragment) {
  const program = gl.createProgram();
  for (const [type, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
    const shader = gl.createShader(type);
    gl.shaderSource(shader, "#version 300 es\nprecision highp float;\n" + text);
    gl.compileShader(shader);
    if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) fail(gl.getShaderInfoLog(shader));
    gl.attachShader(program, shader);
  }
  gl.bindAttribLocation(program, 0, "position");
  gl.bindAttribLocation(program, 1, "shade");
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS)) fail(gl.getProgramInfoLog(program));
  return new Proxy(program, { get: (p, name) => (name === "program" ? p : gl.getUniformLocation(p, name)) });
}

/* Ground: coloured by height, lit by the normal of each triangle. The mesh of the frame is drawn up to the horizon of
 * the recorded camera, the coarse globe beyond. */
const ground = makeProgram(
  `in vec3 position; uniform mat4 matrix; uniform float scale, radius; out vec3 p, ground;
   void main() { p = position; ground = p * max(radius / length(p), 1.0); /* the sea is flat */
     gl_Position = matrix * vec4(ground * scale, 1.0); }`,
  `in vec3 p, ground; uniform float radius, edge, side; uniform vec3 sun, axis; uniform vec4 flat_color; out vec4 color;
   void main() {
     if (side != 0.0 && (dot(normalize(p), axis) - edge) * side < 0.0) discard;
     if (flat_color.a > 0.0) { color = flat_color; return; }
     float h = (length(p) - radius) / 9000.0;
     vec3 c = h < 0.0 ? mix(vec3(.09, .28, .47), vec3(.03, .10, .24), clamp(-h * 1.6, 0.0, 1.0))
            : h < .25 ? mix(vec3(.33, .47, .24), vec3(.50, .52, .30), h * 4.0)
            : h < .6 ? mix(vec3(.50, .52, .30), vec3(.46, .38, .31), (h - .25) / .35)
                     : mix(vec3(.46, .38, .31), vec3(.95, .96, .98), clamp((h - .6) / .35, 0.0, 1.0));
     vec3 n = normalize(cross(dFdx(ground), dFdy(ground)));
     if (dot(n, p) < 0.0) n = -n;
     float l = dot(n, sun);
     color = vec4(c * (.34 + .86 * max(l, 0.0)), 1.0);
   }`);

/* Points and lines with a shade each, raised above the ground. */
const marks = makeProgram(
  `in vec3 position; in float shade; uniform mat4 matrix; uniform float raise, size, radius; out float s;
   void main() { s = shade; gl_Position = matrix * vec4(position * max(radius / length(position), 1.0) * raise, 1.0);
     gl_PointSize = clamp(size / gl_Position.w, 3.0, 12.0); }`,
  `in float s; uniform vec4 first, second; uniform float round; out vec4 color;
   void main() { if (round > 0.0 && length(gl_PointCoord - .5) > .5) discard; color = mix(first, second, s); }`);

/* Boxes of the robot's scene. */
const solid = makeProgram(
  `in vec3 position; uniform mat4 matrix; uniform vec4 turn; out vec3 p;
   void main() { vec3 v = position, q = turn.yzw;
     p = v + 2.0 * cross(q, cross(q, v) + turn.x * v); gl_Position = matrix * vec4(p, 1.0); }`,
  `in vec3 p; uniform vec4 tint; out vec4 color;
   void main() { vec3 n = normalize(cross(dFdx(p), dFdy(p)));
     color = vec4(tint.rgb * (.45 + .55 * abs(dot(n, normalize(vec3(.5, .3, .8))))), tint.a); }`);

const buffers = {};
/* Binds the buffer of a name, and uploads the array unless it is there already. */
function upload(name, target, array) {
  const known = buffers[name] = buffers[name] || { buffer: gl.createBuffer(), array: null };
  gl.bindBuffer(target, known.buffer);
  if (known.array !== array) gl.bufferData(target, array, gl.DYNAMIC_DRAW);
  known.array = array;
}
function setAttribute(index, size) {
  gl.enableVertexAttribArray(index);
  gl.vertexAttribPointer(index, size, gl.FLOAT, false, 0, 0);
}

/* The three edges of each triangle, as lines. */
function linesOf(triangle) {
  const lines = new Uint32Array(2 * triangle.length);
  for (let i = 0, k = 0; i < triangle.length; i += 3)
    for (let e = 0; e < 3; e++) { lines[k++] = triangle[i + e]; lines[k++] = triangle[i + (e + 1) % 3]; }
  return lines;
}

const globe = { vertex: floats(run.globe.vertex), triangle: words(run.globe.triangle) };
const shown = (name) => document.getElementById("show-" + name).checked;

/* Draws a mesh: filled or as the lines of its triangles.
 * side: 1: up to the horizon of the recorded camera; -1: beyond; 0: all. */
function drawMesh(name, mesh, matrix, frame, side, asLines) {
  const eye = frame.camera, distance = length(eye);
  gl.useProgram(ground.program);
  gl.uniformMatrix4fv(ground.matrix, false, matrix);
  gl.uniform1f(ground.scale, asLines ? 1.0006 : 1);
  gl.uniform1f(ground.radius, radius);
  gl.uniform1f(ground.edge, Math.min(radius / distance, 0.9999));
  gl.uniform1f(ground.side, side);
  gl.uniform3fv(ground.axis, unit(eye));
  gl.uniform3fv(ground.sun, sunOf());
  gl.uniform4fv(ground.flat_color, asLines ? [0.02, 0.04, 0.03, 0.45] : [0, 0, 0, 0]);
  upload(name + "-vertex", gl.ARRAY_BUFFER, mesh.vertex);
  setAttribute(0, 3);
  gl.disableVertexAttribArray(1);
  if (asLines && !mesh.lines) mesh.lines = linesOf(mesh.triangle);
  const index = asLines ? mesh.lines : mesh.triangle;
  upload(name + (asLines ? "-lines" : "-triangle"), gl.ELEMENT_ARRAY_BUFFER, index);
  gl.drawElements(asLines ? gl.LINES : gl.TRIANGLES, index.length, gl.UNSIGNED_INT, 0);
}

/* Draws points, or lines between the positions of `index`. Thicker lines are drawn several times, with offsets. */
function drawMarks(matrix, mode, position, index, shade, look) {
  gl.useProgram(marks.program);
  gl.uniform1f(marks.raise, look.raise);
  gl.uniform1f(marks.radius, radius);
  gl.uniform1f(marks.size, look.size || 1);
  gl.uniform4fv(marks.first, look.first);
  gl.uniform4fv(marks.second, look.second || look.first);
  gl.uniform1f(marks.round, mode === gl.POINTS ? 1 : 0);
  const count = index ? index.length : position.length / 3;
  const p = index ? new Float32Array(3 * count) : position, s = new Float32Array(count);
  for (let i = 0; i < count && index; i++)
    for (let c = 0; c < 3; c++) p[3 * i + c] = position[3 * index[i] + c];
  for (let i = 0; i < count && shade; i++) s[i] = shade(i);
  upload("marks", gl.ARRAY_BUFFER, p);
  setAttribute(0, 3);
  upload("shades", gl.ARRAY_BUFFER, s);
  setAttribute(1, 1);
  for (const [x, y] of look.offsets || [[0, 0]]) {
    const moved = new Float32Array(matrix);
    for (let k = 0; k < 4; k++) { /* by pixels, in clip space */
      moved[4 * k] += 2 * x / canvas.width * matrix[4 * k + 3];
      moved[4 * k + 1] += 2 * y / canvas.height * matrix[4 * k + 3];
    }
    gl.uniformMatrix4fv(marks.matrix, false, moved);
    gl.drawArrays(mode, 0, count);
  }
}

const thick = [[0, 0], [1, 0], [0, 1], [1, 1], [-1, 0], [0, -1]];

/* A box as 12 triangles. */
function boxOf(box) {
  const out = [];
  for (let axis = 0; axis < 3; axis++)
    for (let side = 0; side < 2; side++) {
      const corner = (u, v) => { const c = [0, 0, 0]; c[axis] = box[side][axis];
        c[(axis + 1) % 3] = box[u][(axis + 1) % 3]; c[(axis + 2) % 3] = box[v][(axis + 2) % 3]; return c; };
      for (const [u, v] of [[0, 0], [1, 0], [1, 1], [0, 0], [1, 1], [0, 1]]) out.push(...corner(u, v));
    }
  return new Float32Array(out);
}

function drawBoxes(boxes, turned, tint) {
  gl.uniform4fv(solid.turn, turned);
  gl.uniform4fv(solid.tint, tint);
  for (const box of boxes) {
    upload("box", gl.ARRAY_BUFFER, boxOf(box));
    setAttribute(0, 3);
    gl.drawArrays(gl.TRIANGLES, 0, 36);
  }
}

/* ---- a picture ---- */

let at = 0, playing = false; /* the position in the run: a frame and a part of the way to the next one */

function recordedCamera() {
  const i = Math.floor(at), a = frames[i], b = frames[Math.min(i + 1, frames.length - 1)], t = at - i;
  return { eye: mix(a.camera, b.camera, t), direction: mix(a.direction, b.direction, t), up: mix(a.up, b.up, t),
    fov: a.fov };
}

let camera;
/* The light comes from beside the camera. */
function sunOf() {
  const out = unit(camera.eye), side = unit(cross(camera.up, camera.direction));
  return unit(add(add(out.map((x) => 0.75 * x), side, 0.75), [0, 0, 1], 0.35));
}

function drawRobot(i, t) {
  const frame = frames[i], next = frames[Math.min(i + 1, frames.length - 1)];
  const scale = canvas.width / canvas.clientWidth, box = document.getElementById("robot-frame");
  const side = Math.round(Math.min(190, canvas.clientWidth * 0.3));
  box.style.display = shown("robot") ? "block" : "none";
  box.style.width = box.style.height = side + "px";
  if (!shown("robot")) return;
  const x = canvas.width - (12 + side) * scale, y = canvas.height - (12 + side) * scale;
  gl.enable(gl.SCISSOR_TEST);
  gl.scissor(x, y, side * scale, side * scale);
  gl.viewport(x, y, side * scale, side * scale);
  gl.clearColor(0.05, 0.07, 0.1, 1);
  gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
  gl.useProgram(solid.program);
  const eye = [4.3, -3.0, 2.7];
  gl.uniformMatrix4fv(solid.matrix, false,
    projectionOf({ eye, direction: eye.map((c) => -c), up: [0, 0, 1], fov: 0.74 }, 1, 0.5, 20));
  gl.disableVertexAttribArray(1);
  const walls = frame.walls.map((w, k) => w.map((c, s) => mix(c, next.walls[k][s], t)));
  drawBoxes(walls, [1, 0, 0, 0], [0.55, 0.62, 0.7, 1]);
  drawBoxes(run.key, slerp(frame.rotation, next.rotation, t), [0.9, 0.55, 1, 1]);
  gl.disable(gl.SCISSOR_TEST);
}

function draw() {
  /* 1. The size of the screen, and the camera. */
  const scale = window.devicePixelRatio || 1;
  canvas.width = Math.max(1, Math.round(canvas.clientWidth * scale));
  canvas.height = Math.max(1, Math.round(canvas.clientHeight * scale));
  camera = following ? recordedCamera() : cameraOf(own);
  const height = Math.max(length(camera.eye) - radius, 0.01 * radius);
  const matrix = projectionOf(camera, canvas.width / canvas.height, height * 0.1, length(camera.eye) + 1.2 * radius);
  const i = Math.floor(at), t = at - i, frame = frames[i], next = frames[Math.min(i + 1, frames.length - 1)];
  gl.viewport(0, 0, canvas.width, canvas.height);
  gl.clearColor(0.027, 0.043, 0.067, 1);
  gl.enable(gl.DEPTH_TEST);
  gl.enable(gl.BLEND);
  gl.blendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ONE, gl.ONE);
  gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
  /* 2. The ground. */
  const whole = shown("globe");
  if (shown("planet")) {
    drawMesh("frame", frame, matrix, frame, whole ? 1 : 0, false);
    if (shown("wires")) drawMesh("frame", frame, matrix, frame, whole ? 1 : 0, true);
    if (whole) drawMesh("globe", globe, matrix, frame, -1, false);
  }
  /* 3. What moves on it: positions between two frames. */
  const p = new Float32Array(frame.position.length);
  for (let k = 0; k < p.length; k++) p[k] = frame.position[k] + t * (next.position[k] - frame.position[k]);
  if (shown("forest")) drawMarks(matrix, gl.LINES, p, frame.edge, null, { raise: 1.022, first: [1, 0.76, 0.3, 1] });
  if (shown("contacts"))
    drawMarks(matrix, gl.LINES, p, frame.contact, (k) => Math.min(frame.age[k >> 1] / 60, 1),
      { raise: 1.024, first: [1, 0.2, 0.16, 1], second: [1, 0.55, 0.5, 1], offsets: thick });
  if (shown("routes"))
    for (const route of frame.routes)
      drawMarks(matrix, gl.LINE_STRIP, p, route, null, { raise: 1.026, first: [0.37, 0.89, 1, 1], offsets: thick });
  if (shown("objects"))
    drawMarks(matrix, gl.POINTS, p, null, null,
      { raise: 1.023, size: radius * 0.01 * canvas.height, first: [1, 1, 1, 1] });
  drawRobot(i, t);
  /* 4. The numbers. */
  const set = (id, text) => { document.getElementById(id).textContent = text; };
  set("n-planet", (frame.triangle.length / 3).toLocaleString("en") + " triangles");
  set("n-objects", (frame.position.length / 3).toLocaleString("en"));
  set("n-forest", frame.trees + (frame.trees === 1 ? " tree" : " trees"));
  set("n-contacts", frame.age.length.toLocaleString("en") + " pairs");
  set("n-routes", frame.routes.filter((r) => r.length).length);
  set("n-robot", frame.planned + (frame.planned === 1 ? " plan" : " plans"));
  set("number", "frame " + (i + 1) + " / " + frames.length);
  document.getElementById("slider").value = i;
}

/* ---- time and input ---- */

let last = 0, waiting = false;
function step(time) {
  waiting = false;
  if (playing) {
    const rate = Number(document.getElementById("speed").value);
    at += Math.min((time - last) / 1000, 0.25) * rate;
    if (at > frames.length - 1) at = frames.length > 1 ? at % (frames.length - 1) : 0;
  }
  last = time;
  draw();
  if (playing) redraw();
}
function redraw() {
  if (!waiting) requestAnimationFrame(step);
  waiting = true;
}
function setPlaying(on) {
  playing = on && frames.length > 1;
  last = performance.now();
  document.getElementById("play").textContent = playing ? "Pause" : "Play";
  redraw();
}
function setFollowing(on) {
  following = on;
  document.getElementById("follow").setAttribute("aria-pressed", String(on));
  document.getElementById("follow").textContent = on ? "Free camera" : "Follow";
  redraw();
}
/* Begins to move freely, from where the recorded camera is. */
function free() {
  if (!following) return;
  const c = recordedCamera(), out = unit(c.eye);
  own = { ...own, latitude: Math.asin(out[2]) / degree, longitude: Math.atan2(out[1], out[0]) / degree,
    altitude: length(c.eye) - radius, pitch: Math.asin(clamp(dot(unit(c.direction), out), -1, 1)) / degree };
  const east = unit(cross([0, 0, 1], out)), north = cross(out, east);
  own.heading = Math.atan2(dot(c.direction, east), dot(c.direction, north)) / degree;
  setFollowing(false);
}

const pointers = new Map();
const spread = () => { const [a, b] = [...pointers.values()]; return Math.hypot(a.x - b.x, a.y - b.y); };
canvas.addEventListener("pointerdown", (e) => {
  pointers.set(e.pointerId, { x: e.clientX, y: e.clientY });
  canvas.setPointerCapture(e.pointerId);
});
for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, (e) => pointers.delete(e.pointerId));
canvas.addEventListener("pointermove", (e) => {
  const from = pointers.get(e.pointerId);
  if (!from) return;
  free();
  const before = pointers.size === 2 ? spread() : 0;
  const dx = (e.clientX - from.x) / canvas.clientHeight, dy = (e.clientY - from.y) / canvas.clientHeight;
  pointers.set(e.pointerId, { x: e.clientX, y: e.clientY });
  if (pointers.size === 2) changeAltitude(before / Math.max(spread(), 1));
  else if (e.shiftKey || e.buttons & 2) turn(-dx, dy);
  else moveOver(-dx, dy);
  redraw();
});
canvas.addEventListener("contextmenu", (e) => e.preventDefault());
canvas.addEventListener("wheel", (e) => {
  e.preventDefault();
  free();
  changeAltitude(Math.exp(clamp(e.deltaY, -200, 200) / 500));
  redraw();
}, { passive: false });

const keys = {
  ArrowLeft: () => moveOver(-0.06, 0), ArrowRight: () => moveOver(0.06, 0),
  ArrowUp: () => moveOver(0, 0.06), ArrowDown: () => moveOver(0, -0.06),
  a: () => turn(-0.05, 0), d: () => turn(0.05, 0), w: () => turn(0, 0.05), s: () => turn(0, -0.05),
  "+": () => changeAltitude(0.9), "=": () => changeAltitude(0.9), "-": () => changeAltitude(1.1),
  r: () => { own = { ...start }; },
};
window.addEventListener("keydown", (e) => {
  if (e.ctrlKey || e.altKey || e.metaKey || /^(INPUT|SELECT|BUTTON)$/.test(e.target.tagName)) return;
  const key = e.key.length === 1 ? e.key.toLowerCase() : e.key;
  if (key === " ") setPlaying(!playing);
  else if (key === "f") setFollowing(!following);
  else if (keys[key]) { free(); keys[key](); redraw(); }
  else return;
  e.preventDefault();
});
document.getElementById("play").addEventListener("click", () => setPlaying(!playing));
document.getElementById("follow").addEventListener("click", () => (following ? free() : setFollowing(true)));
const slider = document.getElementById("slider");
slider.max = frames.length - 1;
slider.addEventListener("input", () => { at = Number(slider.value); setPlaying(false); });
document.getElementById("legend").addEventListener("change", redraw);
window.addEventListener("resize", redraw);

/* The view of the address. */
const address = new URLSearchParams(location.hash.slice(1));
if (address.has("frame")) at = clamp(Math.trunc(Number(address.get("frame"))) || 0, 0, frames.length - 1);
if (address.has("view")) {
  const v = address.get("view").split(",").map(Number);
  if (v.length === 5 && v.every(Number.isFinite))
    own = { latitude: clamp(v[0], -89.5, 89.5), longitude: v[1], altitude: clamp(v[2], 0.01 * radius, 8 * radius),
      heading: v[3], pitch: clamp(v[4], -90, 60) };
}
setFollowing(address.has("follow"));
if (address.has("still"))
  for (const id of ["bar", "help"]) document.getElementById(id).style.display = "none";
setPlaying(!address.has("pause") && !address.has("still") && !matchMedia("(prefers-reduced-motion: reduce)").matches);
